export const start = (): string => "started";
