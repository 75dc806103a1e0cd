const exact: string = "exact";
export default exact;
