export const format = (text: string, value: number): string => `${text}: ${value.toFixed(2)}`;
