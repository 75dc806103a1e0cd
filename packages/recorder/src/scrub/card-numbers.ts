/**
 * Finds payment cards by length, prefix and check digit, also with blanks or dashes between the digits.
 */
import { charCodeAt } from "../graph/primordials.ts";
import { DIGIT, WORD, add, is, runEnd } from "./text-scan.ts";
import type { SecretSpan } from "./text-scan.ts";

/** 13 to 19 digits, single blanks or dashes between them, with the right first and last digit. */
export function findCards(text: string, spans: SecretSpan[]): void {
  let at = 0;
  while (at < text.length) {
    if (!is(text, at, DIGIT)) {
      at++;
      continue;
    }
    const start = at;
    let digits = "";
    let end = at;
    let count = 0;
    while (true) {
      if (is(text, at, DIGIT)) {
        if (count < 20) digits += text[at];
        count++;
        end = ++at;
        continue;
      }
      const code = charCodeAt(text, at);
      if ((code === 32 || code === 45) && is(text, at + 1, DIGIT)) at++;
      else break;
    }
    if (count >= 13 && count <= 19 && isCard(digits) && bordersCard(text, start, end)) {
      add(spans, start, end, "card");
    } else if (count > 19) {
      findCardInGroups(text, start, end, spans);
    }
  }
}

/** A longer row, such as `order 1234 4111 1111 1111 1111`: tries at the borders of its groups. */
function findCardInGroups(text: string, start: number, end: number, spans: SecretSpan[]): void {
  let at = start;
  while (at < end) {
    let digits = "";
    let stop = at;
    while (stop < end && digits.length <= 19) {
      if (is(text, stop, DIGIT)) digits += text[stop];
      stop++;
      const atBorder = stop === end || !is(text, stop, DIGIT);
      if (atBorder && digits.length >= 13 && digits.length <= 19 && isCard(digits)) {
        add(spans, at, stop, "card");
        break;
      }
    }
    at = runEnd(text, at, DIGIT) + 1;
  }
}

function bordersCard(text: string, start: number, end: number): boolean {
  if (is(text, start - 1, WORD) || is(text, end, WORD)) return false;
  // `0.4111…` and `4111….5` are numbers.
  if (charCodeAt(text, start - 1) === 46) return false;
  return !(charCodeAt(text, end) === 46 && is(text, end + 1, DIGIT));
}

/** Whether bare digits are a payment card by prefix and check digit. */
export function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  const first = charCodeAt(digits, 0) - 48;
  if (first < 2 || first > 6) return false;
  let sum = 0;
  let same = true;
  for (let at = digits.length - 1, double = false; at >= 0; at--, double = !double) {
    let value = charCodeAt(digits, at) - 48;
    if (charCodeAt(digits, at) !== charCodeAt(digits, 0)) same = false;
    if (double) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
  }
  return sum % 10 === 0 && !same;
}
