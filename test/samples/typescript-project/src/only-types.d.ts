export type only = 1;
