/** Starts recording when it is loaded: `node --import orangebox/register app.ts`. */
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being loaded
import "@orangebox/recorder/register";
