/** The program `flight`: reads the command line, runs the command, sets the exit code. */
import { run } from "./run-flight.ts";

await run(process.argv.slice(2));
