import type { Messages } from "@lingui/core";

/** Texts and arguments in turn. */
export type CompiledMessage = Exclude<Messages[string], string>;

const ARGUMENT = /\{(\w+)(, number)?\}/;
const compiled = new Map<string, CompiledMessage>();

/**
 * Compiles an English text of the code, with arguments like `{name}` and `{n, number}`, to Lingui's tokens. A message with
 * plurals is compiled by the build, so that browsers need not load a parser for them.
 */
export function compilePlaceholders(message: string): CompiledMessage {
  let tokens = compiled.get(message);
  if (!tokens) {
    tokens = tokensOf(message);
    compiled.set(message, tokens);
  }
  return tokens;
}

/** The texts between arguments, with the name and the format of each argument. */
function tokensOf(message: string): CompiledMessage {
  const [first = "", ...rest] = message.split(ARGUMENT);
  const tokens: CompiledMessage = [first];
  for (let at = 0; at < rest.length; at += 3) {
    const [name = "", format, text = ""] = rest.slice(at, at + 3);
    tokens.push(format ? [name, "number"] : [name], text);
  }
  return tokens;
}
