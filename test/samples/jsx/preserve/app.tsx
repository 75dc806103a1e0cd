export const a = <b />;
