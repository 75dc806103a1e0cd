/** Writes completion scripts for shells from the commands and options that exist. */
import { FlightError } from "@orangebox/format";
import type { Command, Option } from "commander";

/** Shells that can be completed. */
export const SHELLS: readonly string[] = ["bash", "zsh", "fish"];

interface Verb {
  readonly name: string;
  readonly about: string;
  readonly options: readonly Flag[];
}

interface Flag {
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/**
 * Writes the script for one shell.
 *
 * @throws {FlightError} `FLIGHT_USAGE` for another shell.
 */
export function completionScript(program: Command, shell: string): string {
  const verbs = verbsOf(program);
  switch (shell) {
    case "bash":
      return bash(verbs);
    case "zsh":
      return zsh(verbs);
    case "fish":
      return fish(verbs);
    default:
      throw new FlightError(
        "FLIGHT_USAGE",
        `there is no completion for ${shell}`,
        `Take one of ${SHELLS.join(", ")}.`,
      );
  }
}

function verbsOf(program: Command): Verb[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.summary(),
    options: [...command.options.map(flagOf), HELP],
  }));
}

const HELP: Flag = { name: "--help", about: "print help", takesValue: false, choices: [] };

function flagOf(option: Option): Flag {
  return {
    name: option.long ?? option.flags,
    about: option.description,
    takesValue: option.required,
    choices: option.argChoices ?? [],
  };
}

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.flatMap(({ name, options }) => [
    ...options
      .filter((option) => option.choices.length > 0)
      .map((option) => `    ${name}:${option.name}) ${words(option.choices)} ;;`),
    `    ${name}:*)`,
    `      if [[ $word == -* ]]; then ${words(options.map((option) => option.name))}; fi`,
    ...(name === "completion" ? [`      ${words(SHELLS)}`] : []),
    "      ;;",
  ]);
  return `# completion of flight for bash
_flight() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    ${words([...verbs.map((verb) => verb.name), "--help", "--version"])}
  fi
  case "$verb:$before" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _flight flight`;
}

/** Writes the bash that offers some words and ends the function. */
function words(list: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${list.join(" ")}" -- "$word")); return`;
}

function zsh(verbs: readonly Verb[]): string {
  const list = verbs.map(({ name, about }) => `    ${quote(`${name}:${about}`)}`);
  const cases = verbs.map(({ name, options }) => {
    const specs = options.map((option) => `      ${quote(zshSpec(option))}`);
    const rest = name === "completion" ? `'1:shell:(${SHELLS.join(" ")})'` : "'*:file:_files'";
    return `    ${name}) _arguments \\\n${specs.join(" \\\n")} \\\n      ${rest} ;;`;
  });
  return `#compdef flight
_flight() {
  local -a verbs
  verbs=(
${list.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe command verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
${cases.join("\n")}
  esac
}
compdef _flight flight`;
}

function zshSpec({ name, about, takesValue, choices }: Flag): string {
  const text = about.replace(/[[\]:\\]/g, "\\$&");
  if (!takesValue) return `${name}[${text}]`;
  return `${name}=[${text}]:value:${choices.length > 0 ? `(${choices.join(" ")})` : "_files"}`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap(({ name, about, options }) => [
    `complete -c flight -n __fish_use_subcommand -f -a ${name} -d ${quote(about)}`,
    ...options.map((option) => {
      const value = option.takesValue ? " -r" : "";
      const choices = option.choices.length > 0 ? ` -f -a ${quote(option.choices.join(" "))}` : "";
      return `complete -c flight -n '__fish_seen_subcommand_from ${name}' -l ${option.name.slice(2)}${value}${choices} -d ${quote(option.about)}`;
    }),
  ]);
  return [
    "# completion of flight for fish",
    ...lines,
    `complete -c flight -n '__fish_seen_subcommand_from completion' -f -a ${quote(SHELLS.join(" "))}`,
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
