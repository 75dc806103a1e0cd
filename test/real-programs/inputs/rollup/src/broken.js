export const x = {
