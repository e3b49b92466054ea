import { closestName } from "@purse/kernel";
import { CHAIN_VARIABLES } from "./chains.ts";
import { SETTING_LIST } from "./settingList.ts";

/** A variable of the environment that looks like a setting and is ignored. */
export interface UnknownVariable {
  name: string;
  /** What the variable may be meant to be, as a sentence. */
  advice: string;
}

const PREFIX = "PURSE_";
const PARSE_SERVER = "PARSE_SERVER_";
const RPC_URL = "RPC_URL";
const CHAIN_SUFFIXES = [RPC_URL, ...Object.values(CHAIN_VARIABLES)];

/**
 * Variables that are no settings: those that programs of ours pass on, those of tests, and what Kubernetes and Docker add
 * for a service of the name `purse`.
 */
const OTHERS =
  /^PURSE_(CONFIG$|PROGRAM$|LOCAL_CHAIN$|DOCS_EDIT_URL$|TESTS?($|_)|SERVICE_(HOST|PORT)|PORT_\d+_)/;

/**
 * The variables that begin like settings, have a value, and are ignored: they are not settings or lack another one.
 * @param ofModules the variables of modules.
 */
export function unknownVariables(
  env: Record<string, string | undefined>,
  ofModules: readonly string[] = [],
): UnknownVariable[] {
  const known = new Set<string>([...SETTING_LIST.map(({ info }) => info.env), ...ofModules]);
  return Object.keys(env)
    .filter((name) => env[name] && !known.has(name) && !OTHERS.test(name))
    .flatMap((name) => {
      if (name.startsWith(PARSE_SERVER)) return [{ name, advice: parseServerAdvice(name, known) }];
      if (!/^purse./i.test(name)) return [];
      const advice = /^purse_chain_/i.test(name) ? chainAdvice(name, env) : settingAdvice(name, known);
      return advice === undefined ? [] : [{ name, advice }];
    });
}

function parseServerAdvice(name: string, known: ReadonlySet<string>): string {
  const same = PREFIX + name.slice(PARSE_SERVER.length);
  const here = known.has(same)
    ? `use ${same}`
    : "/docs/migrate/from-parse of a running server names those of Purse";
  return `It is a setting of Parse Server: ${here}.`;
}

/** Undefined for other words that begin in the same way. */
function settingAdvice(name: string, known: ReadonlySet<string>): string | undefined {
  // The common beginning of all names does not make them similar.
  const tails = [...known].map((each) => each.slice(PREFIX.length));
  const closest = closestName(name.replace(/^purse_?/i, ""), tails);
  if (closest !== undefined) return `It is not a setting: did you mean ${PREFIX}${closest}?`;
  return /^purse_/i.test(name) ? "It is not a setting." : undefined;
}

/** Undefined if the variable belongs to a chain of the environment. */
function chainAdvice(name: string, env: Record<string, string | undefined>): string | undefined {
  const chains = CHAIN_SUFFIXES.filter((suffix) => name.endsWith(`_${suffix}`)).map((suffix) =>
    name.slice(0, -suffix.length),
  );
  const named = chains.filter((chain) => /^PURSE_CHAIN_[A-Z0-9_]+_$/.test(chain));
  const [first] = named;
  if (named.some((chain) => env[chain + RPC_URL])) return undefined;
  if (first !== undefined) return `It is ignored without ${first}${RPC_URL}.`;
  const parts = name.toUpperCase().split("_");
  const candidates = parts.slice(3).flatMap((_, index) => {
    const chain = parts.slice(2, index + 3).join("_");
    const suffix = parts.slice(index + 3).join("_");
    const closest =
      closestName(suffix, CHAIN_SUFFIXES) ??
      CHAIN_SUFFIXES.find((known) => known.endsWith(`_${suffix}`) || known.startsWith(`${suffix}_`));
    return closest === undefined ? [] : [`${PREFIX}CHAIN_${chain}_${closest}`];
  });
  const closest = closestName(name, candidates);
  return closest === undefined
    ? `It is not a setting: those of a chain are PURSE_CHAIN_<NAME>_${CHAIN_SUFFIXES.join(", _")}.`
    : `It is not a setting: did you mean ${closest}?`;
}
