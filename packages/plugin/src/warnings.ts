/**
 * Says through the bundler what gets no probes, each thing once in the life of a plugin.
 */

/** What was said already. */
export class Warnings {
  readonly #said = new Set<string>();

  /** Says a sentence, and what can be done. */
  say(warn: (message: string) => void, message: string, hint = ""): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    warn(`[orangebox] ${message}${hint === "" ? "" : `. ${hint}`}`);
  }
}
