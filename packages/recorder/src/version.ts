/** The version that recordings and caches carry. */
export const VERSION = "0.1.0";
