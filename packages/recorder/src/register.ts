/**
 * `node --import orangebox/register app.ts`: starts recording, from the environment.
 *
 * The one module of this project that does something when it is imported.
 */
import { installFromEnvironment } from "./install.ts";

installFromEnvironment();
