export const made = ["made"] as const;
