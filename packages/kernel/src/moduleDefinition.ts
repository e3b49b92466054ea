import { z } from "zod";
import { type SettingOptions, settingOptions } from "./setting.ts";
import { parseSetting } from "./settingErrors.ts";
import type { ServiceRegistry, Token } from "./token.ts";

/** What a module knows before anything is open, such as the environment. The program adds members by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the program adds its facts.
export interface ModuleFacts {}

/** A class that a module stores objects in. The program adds members by declaration merging. */
export interface ModuleClass {
  className: string;
}

/** What a module adds to the program. Each part of it that takes something from modules declares the member. */
// biome-ignore lint/suspicious/noEmptyInterface: each part of the program adds its members.
export interface ModuleContributions {}

/** The settings of modules as the config file contains them. Modules add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: each module adds its settings.
export interface ModuleInputs {}

/** What an open module consists of. */
export interface OpenModule<Service = unknown> extends ModuleContributions {
  /** What others get by the token that the module provides. */
  service?: Service;
  /** Runs once everything is open, in the order of opening. */
  start?(): unknown;
  /** Ends what would keep the program from stopping, while requests are still answered. */
  drain?(): unknown;
  /** Releases everything, in the reverse order of opening; also after a failed start. */
  stop?(): unknown;
}

type TokenMap = Readonly<Record<string, Token<unknown>>>;
type SettingMap = Readonly<Record<string, z.ZodType>>;

/** The settings of a module as the config file contains them: what it adds to `ModuleInputs`. */
export type SettingInputsOf<Settings extends SettingMap> = {
  readonly [Key in keyof Settings]?: z.input<Settings[Key]>;
};

type ServicesOf<Needs extends TokenMap> = {
  readonly [Name in keyof Needs]: Needs[Name] extends Token<infer Service> ? Service : never;
};
type ValuesOf<Settings extends SettingMap> = { readonly [Key in keyof Settings]: z.output<Settings[Key]> };

/** Everything of one feature. */
export interface ModuleDefinition<Needs extends TokenMap, Settings extends SettingMap, Service> {
  /** Unique in a server: letters and digits, beginning with a small letter. */
  name: string;
  /** The services that it uses, by the names that it gives them: other ones than `settings` and `facts`. */
  needs?: Needs;
  /** The token of its service. */
  provides?: Token<Service>;
  /** Its settings by their keys in the config file, each made by `setting`. */
  settings?: Settings;
  /** Its classes. */
  classes?(context: { settings: ValuesOf<Settings>; facts: ModuleFacts }): readonly ModuleClass[];
  open(
    context: ServicesOf<Needs> & { settings: ValuesOf<Settings>; facts: ModuleFacts },
  ): OpenModule<Service> | Promise<OpenModule<Service>>;
}

/** A setting of a module, as documentation and readers of settings know it. */
export interface ModuleSetting extends SettingOptions {
  key: string;
  schema: z.ZodType;
}

/** A module, before its settings are known. */
export interface Module {
  readonly name: string;
  readonly settings: readonly ModuleSetting[];
  /**
   * Reads its settings from the inputs of their keys. Throws SettingError for the first that is invalid.
   */
  configure(inputs: Readonly<Record<string, unknown>>, facts: ModuleFacts): ConfiguredModule;
}

/** A module with its settings. */
export interface ConfiguredModule {
  readonly name: string;
  readonly needs: readonly Token<unknown>[];
  readonly provides: Token<unknown> | undefined;
  readonly classes: readonly ModuleClass[];
  /** Opens it, and makes its service known. */
  open(registry: ServiceRegistry): Promise<OpenModule>;
}

/** Defines a module. Throws Error that names the module, the member and what is expected. */
export function defineModule<
  const Needs extends TokenMap = Record<never, never>,
  const Settings extends SettingMap = Record<never, never>,
  Service = undefined,
>(definition: ModuleDefinition<Needs, Settings, Service>): Module {
  assertDefinition(definition);
  const { name, provides } = definition;
  const needs: TokenMap = definition.needs ?? {};
  const schemas: SettingMap = definition.settings ?? {};
  return {
    name,
    settings: Object.entries(schemas).map(([key, schema]) => ({
      key,
      schema,
      ...settingOptions(key, schema),
    })),
    configure(inputs, facts) {
      const settings = readSettings(definition.settings, inputs);
      return {
        name,
        needs: Object.values(needs),
        provides,
        classes: definition.classes?.({ settings, facts }) ?? [],
        async open(registry) {
          const services = servicesOf(definition.needs, registry);
          const opened = await definition.open({ ...services, settings, facts });
          if (provides) provide(name, provides, opened, registry);
          return opened;
        },
      };
    },
  };
}

function provide<Service>(
  name: string,
  provides: Token<Service>,
  { service }: OpenModule<Service>,
  registry: ServiceRegistry,
): void {
  if (service === undefined)
    throw new Error(`it provides "${provides.name}", but open() of "${name}" returned no service`);
  registry.provide(provides, service);
}

function servicesOf<Needs extends TokenMap>(
  needs: Needs | undefined,
  registry: ServiceRegistry,
): ServicesOf<Needs> {
  const services = Object.fromEntries(
    Object.entries(needs ?? {}).map(([name, wanted]) => [name, registry.get(wanted)]),
  );
  if (hasKeysOf<ServicesOf<Needs>>(services, needs)) return services;
  throw new Error("unreachable: each need has been resolved");
}

function readSettings<Settings extends SettingMap>(
  schemas: Settings | undefined,
  inputs: Readonly<Record<string, unknown>>,
): ValuesOf<Settings> {
  const values: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(schemas ?? {}))
    values[key] = parseSetting(key, schema, inputs[key]);
  if (hasKeysOf<ValuesOf<Settings>>(values, schemas)) return values;
  throw new Error("unreachable: each setting has been read");
}

/** Whether an object has a member for each one of another, whose types its own follow from. */
function hasKeysOf<Result extends object>(value: object, keys: object | undefined): value is Result {
  return Object.keys(keys ?? {}).every((key) => key in value);
}

const MODULE_NAME = /^[a-z][A-Za-z0-9]{0,63}$/;

/** Throws Error that names the module, the member and what is expected; definitions come from programs without types too. */
function assertDefinition(definition: {
  name: unknown;
  needs?: unknown;
  provides?: unknown;
  settings?: unknown;
  classes?: unknown;
  open: unknown;
}): void {
  const { name } = definition;
  if (typeof name !== "string" || !MODULE_NAME.test(name))
    throw new Error(
      `A module needs a name of letters and digits that begins with a small letter, such as "invoices", not ${JSON.stringify(name)}`,
    );
  const expect = (member: string, isValid: boolean, expected: string) => {
    if (!isValid) throw new Error(`The module "${name}": "${member}" must be ${expected}`);
  };
  const { needs = {}, provides, settings = {}, classes } = definition;
  expect("needs", isObject(needs), "an object of tokens");
  for (const reserved of ["settings", "facts"])
    expect(`needs.${reserved}`, !(reserved in Object(needs)), "under another name, which open() has already");
  for (const [key, wanted] of Object.entries(Object(needs)))
    expect(`needs.${key}`, isToken(wanted), "a token, such as OBJECTS");
  expect("provides", provides === undefined || isToken(provides), "a token: token<Service>(name)");
  expect("settings", isObject(settings), "an object of settings");
  for (const [key, schema] of Object.entries(Object(settings)))
    expect(`settings.${key}`, schema instanceof z.ZodType, "made by setting(schema, { description })");
  expect(
    "classes",
    classes === undefined || typeof classes === "function",
    "a function that returns classes",
  );
  expect("open", typeof definition.open === "function", "a function that opens the module");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isToken(value: unknown): boolean {
  return isObject(value) && "name" in value && typeof value.name === "string" && "isOptional" in value;
}

/** Whether a value of a config file is a module. */
export function isModule(value: unknown): value is Module {
  return (
    isObject(value) &&
    "name" in value &&
    typeof value.name === "string" &&
    "settings" in value &&
    Array.isArray(value.settings) &&
    "configure" in value &&
    typeof value.configure === "function"
  );
}
