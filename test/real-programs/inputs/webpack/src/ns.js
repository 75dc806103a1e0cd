export let a = 1; export const b = () => a++; export const c = 3;
