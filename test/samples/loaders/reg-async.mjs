import { register } from "node:module"; register("./hooks-async.mjs", import.meta.url);
