/** Where the file for `node --require` is. */

/** URL of the CommonJS way in. */
export const registerFile: URL = new URL("../register.cjs", import.meta.url);
