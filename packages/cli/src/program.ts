/** The commands of `flight`, their options and their help. */
import type { Id } from "@orangebox/format";
import { Argument, Command, InvalidArgumentError, Option } from "commander";

import { completionScript, SHELLS } from "./completion/completion-script.ts";
import type {
  DecryptOptions,
  EncryptOptions,
  KeygenOptions,
} from "./encryption/encryption-commands.ts";
import { terminalQuestion } from "./encryption/ask-hidden.ts";
import { openKeyRing } from "./encryption/key-ring.ts";
import type { KeyOptions, KeyRing } from "./encryption/key-ring.ts";
import type { InspectOptions } from "./inspect/inspect-command.ts";
import type { RecoverOptions } from "./recover/recover-command.ts";
import type { Screen } from "./terminal/screen.ts";
import type { TimelineOptions } from "./timeline/timeline-command.ts";
import { VERSION } from "./version.ts";

const DEFAULT_MAX_LOCALS = 12;
const DEFAULT_TIMELINE_LIMIT = 50;

interface RunFlags {
  readonly level?: string;
  readonly levelFor?: string[];
  readonly include?: string[];
  readonly exclude?: string[];
  readonly includePackage?: string[];
  readonly encryptTo?: string[];
  readonly onExit?: boolean;
  readonly children: boolean;
  readonly out?: string;
  readonly nodeArg?: string[];
}

/** What the commands print on and read from. */
export interface Surroundings {
  readonly screen: Screen;
  /** For what is said beside the result. */
  readonly errors: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Makes the command line. Actions print and set the exit code. */
export function makeProgram(surroundings: Surroundings): Command {
  const { screen } = surroundings;
  const program = new Command("flight")
    .description("The flight recorder for Node.js and TypeScript programs.")
    .version(`flight ${VERSION}`, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `
Examples:
  flight run app.ts              run a program and record it; a crash leaves a .flight file
  flight inspect .               show the newest crash of this folder
  flight timeline . --var total  show every write of a variable, recorded at level writes
  flight recover                 make recordings of programs that were killed
  flight encrypt crash.flight --recipient age1…   so that only the owner of a key can read it
  flight doctor                  say what works here and what does not

Exit codes: 0 yes, 1 no (not found), 2 trouble (misuse, unreadable input).
flight run exits as the program did.`,
    );
  addRun(program);
  addRecover(program, screen);
  addInspect(program, surroundings);
  addTimeline(program, surroundings);
  addEncryption(program, surroundings);
  addDoctor(program, screen);
  addCache(program, screen);
  addCompletion(program, screen);
  return program;
}

function addRun(program: Command): void {
  program
    .command("run")
    .summary("run a program with the recorder in it")
    .description(
      "Runs a program with the recorder in it. Everything behind the script is the script's.\n" +
        "Ends as the program does; the last line on stderr says where a recording was written.",
    )
    .argument("<script>", "JavaScript or TypeScript file")
    .argument("[args...]", "arguments of the script, options included")
    .addOption(
      new Option("--level <level>", "how much is recorded").choices(["calls", "lines", "writes"]),
    )
    .option(
      "--level-for <glob=level>",
      "another level for these files, such as src/cart/**=writes (repeatable)",
      collect,
    )
    .option(
      "--include <glob>",
      "record these files too, such as node_modules/x/** (repeatable)",
      collect,
    )
    .option(
      "--include-package <name>",
      "record this package of node_modules too (repeatable)",
      collect,
    )
    .option("--exclude <glob>", "never record these files (repeatable)", collect)
    .option("--out <file-or-folder>", "where recordings go; a name ending in .flight is the file")
    .option(
      "--encrypt-to <public-key>",
      "encrypt recordings to this key, age1…, so that only its owner can read them (repeatable)",
      collect,
    )
    .option("--no-children", "do not record child processes")
    .option("--on-exit", "also record when the program ends with a code other than 0")
    .option(
      "--node-arg <arg>",
      "hand an option to Node: --node-arg=--inspect (repeatable)",
      collect,
    )
    .passThroughOptions()
    .addHelpText(
      "after",
      `
Examples:
  flight run app.ts --port 8080
  flight run --level lines --out boxes/ server.js
  flight run --level-for 'src/cart/**=writes' server.js
  flight run -- --max-old-space-size=64 app.js      options of Node stand behind --`,
    )
    .action(async (script: string, args: string[], flags: RunFlags) => {
      // Loaded only here: the recorder brings a parser along that the other commands do not need.
      const { endLike, runProgram } = await import("./run/run-command.ts");
      const ending = await runProgram({
        nodeArguments: flags.nodeArg ?? [],
        command: [script, ...args],
        level: flags.level,
        levelFor: flags.levelFor ?? [],
        include: flags.include ?? [],
        exclude: flags.exclude ?? [],
        includePackages: flags.includePackage ?? [],
        out: flags.out,
        encryptTo: flags.encryptTo ?? [],
        children: flags.children,
        onExit: flags.onExit === true,
      });
      endLike(ending);
    });
}

function addInspect(program: Command, surroundings: Surroundings): void {
  const command = program
    .command("inspect")
    .summary("show what a recording tells")
    .description(
      "Shows what a recording tells: the error and its causes, where it happened, the frames with\n" +
        "their variables, the last events. Opening a recording never runs anything in it.",
    )
    .argument(
      "<file...>",
      "a .flight file, - for standard input, or a folder or pattern: its newest crash",
    )
    .option(
      "--frame <n>",
      "show one frame with its source and all its variables; with --path, look in it alone",
      parseInteger,
    )
    .option("--path <expression>", "show a value: sets.evening, frames[0].order.lines[1]")
    .addOption(
      new Option("--object <id>", "show one object and the names that lead to it")
        .argParser(parseId)
        .conflicts(["frame", "path"]),
    )
    .addOption(
      new Option(
        "--search <text>",
        "find a text in names, values, types, errors and files",
      ).conflicts(["frame", "path", "object", "events"]),
    )
    .addOption(
      new Option("--events <n>", "show the last n events")
        .argParser(parseCount)
        .conflicts(["frame", "path", "object"]),
    )
    .option("--max-locals <n>", "variables shown of each frame", parseCount, DEFAULT_MAX_LOCALS)
    .option("--all-locals", "show all variables of each frame")
    .option("--json", "print JSON; docs/inspect-json.md describes it")
    .option("--verbose", "show blocks, extensions, stacks, and everything that is cut by default")
    .addHelpText(
      "after",
      `
Marks: ↔ other names of the same object, ↺ a cycle, <cut> a limit was reached,
<redacted> hidden before it was written, <missing> not in the file.

Examples:
  flight inspect crash.flight
  flight inspect . --frame 1
  flight inspect crash.flight --path 'frames[0].order.lines[1]'
  flight inspect 'boxes/*.flight' --json | jq .exceptions`,
    )
    .action(async (files: string[], options: InspectOptions & KeyOptions) => {
      const { inspect } = await import("./inspect/inspect-command.ts");
      const keys = keysFor(options, surroundings);
      process.exitCode = await inspect(files, options, { ...surroundings, keys });
    });
  addKeyOptions(command);
}

function addTimeline(program: Command, surroundings: Surroundings): void {
  const command = program
    .command("timeline")
    .summary("show every recorded write, in order")
    .description(
      "Shows the writes of a recording made at level writes: what got which value, where, and what\n" +
        "was there before. A function is followed by the number of its activation.",
    )
    .argument(
      "<file...>",
      "a .flight file, - for standard input, or a folder or pattern: its newest crash",
    )
    .option("--var <name>", "only variables of this name")
    .addOption(
      new Option("--who <name>", "only properties and elements of what has this name").conflicts([
        "var",
      ]),
    )
    .addOption(
      new Option("--object <id>", "only properties and elements of this object")
        .argParser(parseId)
        .conflicts(["var", "who"]),
    )
    .option("--since <seq>", "from this write on", parseCount)
    .option("--until <seq>", "up to this write", parseCount)
    .option("--limit <n>", "writes shown", parseCount, DEFAULT_TIMELINE_LIMIT)
    .addOption(
      new Option("--at <seq>", "the variables of each activation after this write")
        .argParser(parseCount)
        .conflicts(["var", "who", "object", "since", "until", "json"]),
    )
    .option("--json", "print JSON; docs/timeline-json.md describes it")
    .addHelpText(
      "after",
      `
Exit code: 0 when there is such a write, else 1.

Examples:
  flight run --level writes app.js
  flight timeline crash.flight --var total
  flight timeline crash.flight --who cache --limit 200
  flight timeline crash.flight --at 120`,
    )
    .action(async (files: string[], options: TimelineOptions & KeyOptions) => {
      const { timeline } = await import("./timeline/timeline-command.ts");
      const keys = keysFor(options, surroundings);
      process.exitCode = await timeline(files, options, { ...surroundings, keys });
    });
  addKeyOptions(command);
}

/** Gives a command that opens recordings the options for encrypted ones. */
function addKeyOptions(command: Command): void {
  command
    .option("--key-file <file>", "secret key for an encrypted recording (repeatable)", collect)
    .option("--passphrase-file <file>", "passphrase for an encrypted recording");
}

function keysFor(options: KeyOptions, { environment }: Surroundings): KeyRing {
  return openKeyRing({ options, environment, ask: terminalQuestion() });
}

const SECRETS_HELP = `
Secrets are never given on the command line itself, which others can read. In the environment:
FLIGHT_KEY_FILE and FLIGHT_PASSPHRASE_FILE name files, FLIGHT_KEY and FLIGHT_PASSPHRASE hold the
secret. A passphrase that is nowhere is asked for at the terminal.`;

function addEncryption(program: Command, surroundings: Surroundings): void {
  program
    .command("encrypt")
    .summary("encrypt a recording, with a passphrase or to a public key")
    .description(
      "Encrypts a recording into a file beside it: with a passphrase (.enc, format version 1), or to\n" +
        "public keys (.age, which the age tools read too). The recording stays, unless --remove is given.",
    )
    .argument("<file>", "a .flight file")
    .option("-r, --recipient <public-key>", "public key, age1… (repeatable)", collect)
    .option("--recipients-file <file>", "file of public keys, one a line (repeatable)", collect)
    .addOption(
      new Option("--passphrase-file <file>", "file whose first line is the passphrase").conflicts([
        "recipient",
        "recipientsFile",
      ]),
    )
    .option("-o, --output <file>", "the new file; <file>.age or <file>.enc unless given")
    .option("--force", "replace the new file if it is there")
    .option("--remove", "delete the recording when the new file is complete")
    .addHelpText(
      "after",
      `${SECRETS_HELP}

Examples:
  flight encrypt crash.flight --recipient age1…
  flight encrypt crash.flight --passphrase-file secret.txt --remove
  flight run --encrypt-to age1… server.js      recordings are encrypted from their first byte`,
    )
    .action(async (file: string, options: EncryptOptions) => {
      const { encrypt } = await import("./encryption/encryption-commands.ts");
      const { passphraseFile } = options;
      const secrets = passphraseFile === undefined ? {} : { passphraseFile };
      const keys = keysFor(secrets, surroundings);
      await encrypt(file, options, { keys, screen: surroundings.screen });
    });
  const decrypting = program
    .command("decrypt")
    .summary("decrypt a recording")
    .description(
      "Decrypts a recording into a file beside it. inspect and timeline open encrypted recordings by\n" +
        "themselves; this is for other programs.",
    )
    .argument("<file>", "an encrypted recording, .enc or .age")
    .option("-o, --output <file>", "the new file; <file> without .enc or .age unless given")
    .option("--force", "replace the new file if it is there")
    .option("--remove", "delete the encrypted file when the new one is complete")
    .option("--salvage", "write what is whole of a file whose end is missing")
    .addHelpText(
      "after",
      `${SECRETS_HELP}

Examples:
  flight decrypt crash.flight.age --key-file key.txt
  flight decrypt crash.flight.enc -o crash.flight`,
    )
    .action(async (file: string, options: DecryptOptions) => {
      const { decrypt } = await import("./encryption/encryption-commands.ts");
      const keys = keysFor(options, surroundings);
      await decrypt(file, options, { ...surroundings, keys });
    });
  addKeyOptions(decrypting);
  program
    .command("keygen")
    .summary("make a key pair for encrypted recordings")
    .description(
      "Makes a secret key, which reads recordings, and its public key, which encrypts them. Keep the\n" +
        "secret one off the machines that record. Both work with the age tools.",
    )
    .option("-o, --output <file>", "file for the secret key; readable by you alone")
    .addOption(
      new Option("--public <file>", "show the public keys of a key file instead").conflicts([
        "output",
        "postQuantum",
      ]),
    )
    .option("--post-quantum", "a key that quantum computers cannot break; not for --encrypt-to")
    .addHelpText(
      "after",
      `
Examples:
  flight keygen -o key.txt
  flight keygen --public key.txt`,
    )
    .action(async (options: KeygenOptions) => {
      const { keygen } = await import("./encryption/encryption-commands.ts");
      await keygen(options, surroundings);
    });
}

function addRecover(program: Command, screen: Screen): void {
  program
    .command("recover")
    .summary("make recordings of programs that were killed")
    .description(
      "Looks for what recorded programs left that were killed, crashed in native code or lost their\n" +
        "machine, and makes recordings of it: the last events and the functions that were running.\n" +
        "flight run does so by itself when its program ends.",
    )
    .argument("[folder]", "a state folder; the configured one unless given")
    .option("--out <folder>", "where recordings go; where each program's own go unless given")
    .option("--dry-run", "say what would be recovered, and change nothing")
    .option("--json", "print JSON; docs/recovery.md describes it")
    .addHelpText(
      "after",
      `
Exit code: 0, or 1 when something had to stay unrecovered; the output says why.

Examples:
  flight recover --dry-run
  flight recover
  flight recover /var/lib/app/orangebox --out boxes`,
    )
    .action(async (folder: string | undefined, options: RecoverOptions) => {
      const { recover } = await import("./recover/recover-command.ts");
      process.exitCode = recover(folder, options, screen);
    });
}

function addDoctor(program: Command, screen: Screen): void {
  program
    .command("doctor")
    .summary("say what works here and what does not")
    .description(
      "Tries every part that recording needs on this machine, and says what is lost without it.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nExit code: 0 when programs can be recorded here, else 1.")
    .action(async (options: { readonly json?: boolean }) => {
      const { doctor } = await import("./doctor/doctor-command.ts");
      process.exitCode = doctor({ json: options.json === true, screen });
    });
}

function addCache(program: Command, screen: Screen): void {
  program
    .command("cache")
    .summary("show or clear what is kept of transformed modules")
    .description(
      "Shows the folder of modules that were given probes before, its size, and its limit; or\n" +
        "deletes them. What is deleted is transformed again when it loads.",
    )
    .addArgument(new Argument("[action]", "what to do").choices(["show", "clear"]).default("show"))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Examples:
  flight cache
  flight cache clear
  flight cache --json | jq .bytes`,
    )
    .action(async (action: string, options: { readonly json?: boolean }) => {
      const { cache } = await import("./cache/cache-command.ts");
      const sources = { env: process.env, cwd: process.cwd() };
      cache(action, { json: options.json === true, sources, screen });
    });
}

function addCompletion(program: Command, screen: Screen): void {
  program
    .command("completion")
    .summary("print a script that completes flight in a shell")
    .description("Prints a script that makes a shell complete the commands and options of flight.")
    .argument("<shell>", SHELLS.join(", "))
    .addHelpText(
      "after",
      `
Examples:
  source <(flight completion bash)
  flight completion zsh > ~/.zfunc/_flight
  flight completion fish > ~/.config/fish/completions/flight.fish`,
    )
    .action((shell: string) => {
      screen.line(completionScript(program, shell));
    });
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

function parseInteger(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

function parseId(text: string): Id {
  if (!/^\d{1,20}$/.test(text)) throw new InvalidArgumentError("It must be an object id.");
  const id = BigInt(text);
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id;
}
