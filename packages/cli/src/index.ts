/** The public names of @orangebox/cli. */
export { run } from "./run-flight.ts";
