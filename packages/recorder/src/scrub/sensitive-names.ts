/**
 * Tells by its words whether a name promises a secret.
 *
 * `x-api-key`, `apiKey` and `API_KEY` are the same two words; `author`, `tokens` and `session_count`
 * are not sensitive, although they contain sensitive letters.
 */
import {
  append,
  charCodeAt,
  regExpExec,
  regExpFlags,
  regExpSource,
  SafeMap,
  SafeSet,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
  stringStartsWith,
  toLowerCase,
  item,
} from "../graph/primordials.ts";

export interface NameRules {
  readonly patterns: readonly (string | RegExp)[];
  readonly allow: readonly string[];
  readonly isSensitive: ((name: string) => boolean) | undefined;
}

/** Longest name that is looked at, in UTF-16 units. */
const MAX_NAME = 256;
const MAX_CACHED = 20_000;

function setOf(words: string): SafeSet<string> {
  const set = new SafeSet<string>();
  for (const word of words.split(" ")) set.add(word);
  return set;
}

/** One word is enough. */
const SECRET_WORDS = setOf(
  "password passwords passwd passphrase pass pw passcode secret secrets token authorization auth credential credentials " +
    "session cookie cookies cvv cvc ssn otp bearer jwt apikey apikeys accesskey privatekey secretkey " +
    "cardnumber authtoken accesstoken refreshtoken idtoken csrftoken xsrftoken sessiontoken sessionid " +
    "sessid phpsessid jsessionid setcookie userpass pgpass pgpassword dbpass oauth",
);
/** Two words in this order. */
const SECRET_PAIRS = setOf(
  "api_key api_keys access_key private_key secret_key signing_key encryption_key account_key shared_key " +
    "card_number credit_card cc_number security_code connection_string db_pass user_pass smtp_pass " +
    "mail_pass redis_pass mysql_pass pg_pass ftp_pass admin_pass root_pass proxy_pass http_pass basic_pass " +
    "db_pwd user_pwd smtp_pwd mysql_pwd pg_pwd admin_pwd root_pwd session_id",
);
/** Compounds without a border end like this. */
const SECRET_ENDINGS = ["password", "passwd", "secret", "apikey", "accesskey", "privatekey"];
/** Behind a secret word these speak about it instead of holding it. */
const ABOUT_WORDS = setOf(
  "count counts total length len size limit max min avg average index expiry expires expired ttl timeout " +
    "type types kind status state enabled disabled required valid validity at on age policy strength field " +
    "fields label placeholder name names usage budget window rate cost price version algorithm manager " +
    "store service provider handler controller factory middleware duration interval per",
);
/** In front of a secret word these speak about it. */
const ABOUT_FRONT = setOf(
  "is has num max min total count show no needs require requires allow without",
);

/** Decides about names; answers are remembered. */
export class SensitiveNames {
  readonly #answers = new SafeMap<string, boolean>();
  readonly #allowed = new SafeSet<string>();
  readonly #letters: string[] = [];
  readonly #expressions: RegExp[] = [];
  readonly #predicate: ((name: string) => boolean) | undefined;

  constructor(rules: NameRules) {
    for (let at = 0; at < rules.allow.length; at++) {
      this.#allowed.add(join(splitWords(item(rules.allow, at)), "_"));
    }
    for (let at = 0; at < rules.patterns.length; at++) {
      const pattern = item(rules.patterns, at);
      if (typeof pattern === "string") {
        const letters = join(splitWords(pattern), "");
        if (letters !== "") append(this.#letters, letters);
      } else {
        append(this.#expressions, copyExpression(pattern));
      }
    }
    this.#predicate = rules.isSensitive;
  }

  isSensitive(name: string): boolean {
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const answer = this.#decide(name.length > MAX_NAME ? stringSlice(name, 0, MAX_NAME) : name);
    if (this.#answers.size < MAX_CACHED && name.length <= MAX_NAME) this.#answers.set(name, answer);
    return answer;
  }

  #decide(name: string): boolean {
    if (name === "PWD" || name === "OLDPWD") return false;
    const words = splitWords(name);
    const joined = join(words, "_");
    if (this.#allowed.has(joined)) return false;
    if (this.#predicate !== undefined) {
      try {
        if (this.#predicate(name)) return true;
      } catch {
        return true; // A broken rule must not open what it was meant to hide.
      }
    }
    for (let at = 0; at < this.#expressions.length; at++) {
      if (regExpExec(item(this.#expressions, at), name) !== null) return true;
    }
    if (this.#letters.length > 0) {
      const letters = join(words, "");
      for (let at = 0; at < this.#letters.length; at++) {
        if (stringIndexOf(letters, item(this.#letters, at)) >= 0) return true;
      }
    }
    return wordsAreSensitive(words);
  }
}

const RegExpCopy = RegExp;

/** A copy: the program's own object may carry an overridden `exec` and a moving lastIndex. */
function copyExpression(pattern: RegExp): RegExp {
  let flags = "";
  for (let at = 0; at < regExpFlags.length; at++) {
    const flag = item(regExpFlags, at);
    const letter = flag[0];
    if (letter !== "g" && letter !== "y" && flag[1](pattern)) flags += letter;
  }
  return new RegExpCopy(regExpSource(pattern), flags);
}

function wordsAreSensitive(words: string[]): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = item(words, at);
    const next = at + 1 < words.length ? words[at + 1] : undefined;
    const isPair = next !== undefined && SECRET_PAIRS.has(`${word}_${next}`);
    if (!isPair && !isSecretWord(word)) continue;
    const last = isPair ? at + 1 : at;
    const after = last + 1 < words.length ? words[last + 1] : undefined;
    if (after !== undefined && ABOUT_WORDS.has(after)) continue;
    if (!isPair && at > 0 && ABOUT_FRONT.has(item(words, 0))) continue;
    return true;
  }
  return false;
}

function isSecretWord(word: string): boolean {
  if (SECRET_WORDS.has(word)) return true;
  // `pwd` alone is a working directory as often as a password; PWD itself was answered before.
  if (word === "pwd") return true;
  if (stringStartsWith(word, "password") && word.length <= 12) return true;
  for (let at = 0; at < SECRET_ENDINGS.length; at++) {
    if (stringEndsWith(word, item(SECRET_ENDINGS, at))) return true;
  }
  return false;
}

function join(words: string[], separator: string): string {
  let text = "";
  for (let at = 0; at < words.length; at++) {
    text += at === 0 ? item(words, at) : separator + item(words, at);
  }
  return text;
}

const SEPARATOR = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

function classOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  return code >= 0xc0 ? LOWER : SEPARATOR;
}

/** Lower-case words of a name: borders are case changes, digits and everything that is no letter. */
export function splitWords(name: string): string[] {
  const words: string[] = [];
  let start = -1;
  let previous = SEPARATOR;
  for (let at = 0; at <= name.length; at++) {
    const now = at < name.length ? classOf(charCodeAt(name, at)) : SEPARATOR;
    let border = now === SEPARATOR || now !== previous;
    if (previous === UPPER && now === LOWER) {
      // `APIKey`: the last capital begins the next word; `Key`: it begins this one.
      border = false;
      if (at - start > 1) {
        append(words, toLowerCase(stringSlice(name, start, at - 1)));
        start = at - 1;
      }
    }
    if (border && start >= 0 && previous !== SEPARATOR) {
      if (previous !== DIGIT) append(words, toLowerCase(stringSlice(name, start, at)));
      start = -1;
    }
    if (now === SEPARATOR) start = -1;
    else if (start < 0) start = at;
    previous = now;
  }
  return words;
}
