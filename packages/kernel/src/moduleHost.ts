import type { Lifecycle } from "./lifecycle.ts";
import type { ConfiguredModule, Module, ModuleClass, OpenModule } from "./moduleDefinition.ts";
import { ServiceRegistry, type Token } from "./token.ts";

/** A module that is open, with what it adds. */
export interface OpenedModule {
  name: string;
  contributions: OpenModule;
}

/** Opens modules in the order of their needs, starts them, and stops them in reverse. */
export class ModuleHost {
  readonly #modules: readonly ConfiguredModule[];
  readonly #lifecycle: Lifecycle;
  readonly #registry = new ServiceRegistry();
  readonly #opened: OpenedModule[] = [];
  /** Those that are open or opening. */
  readonly #begun = new Set<ConfiguredModule>();

  /** Throws Error if a class is there twice. */
  constructor(modules: readonly ConfiguredModule[], lifecycle: Lifecycle) {
    assertUnique(
      "class",
      modules.flatMap(({ name, classes }) => classes.map((each) => [each.className, name])),
    );
    this.#modules = modules;
    this.#lifecycle = lifecycle;
  }

  /** The classes of all modules. */
  get classes(): ModuleClass[] {
    return this.#modules.flatMap(({ classes }) => classes);
  }

  /** Makes a service known that no module provides. */
  provide<Service>(token: Token<Service>, service: Service): void {
    this.#registry.provide(token, service);
  }

  /**
   * Makes a service known that is opened after the modules, which get it as a function to call once the program has
   * started. Returns what provides it.
   */
  provideLater<Service>(token: Token<() => Service>): (service: Service) => void {
    let opened: { service: Service } | undefined;
    this.#registry.provide(token, () => {
      if (!opened) throw new Error(`The service "${token.name}" is used before it is open`);
      return opened.service;
    });
    return (service) => {
      opened = { service };
    };
  }

  /** Returns the service of an open module. Throws Error if there is none. */
  get<Service>(token: Token<Service>): Service {
    return this.#registry.get(token);
  }

  /** What the open modules consist of, in the order of opening. */
  get opened(): readonly OpenedModule[] {
    return this.#opened;
  }

  /**
   * Opens all modules, each after those whose services it needs. Throws Error if a need is unknown, modules need each other
   * in a circle, or one does not open; it names the module. What was opened is registered with the lifecycle.
   */
  async open(): Promise<void> {
    await this.#open(() => true);
  }

  /** Opens the module that provides a service, with those that it needs, before the others. Returns the service. */
  async openFor<Service>(token: Token<Service>): Promise<Service> {
    await this.#open(({ provides }) => provides?.name === token.name);
    return this.get(token);
  }

  async #open(isWanted: (module: ConfiguredModule) => boolean): Promise<void> {
    const closed = this.#modules.filter((module) => !this.#begun.has(module));
    for (const module of sortByNeeds(closed, (token) => this.#registry.has(token), isWanted)) {
      this.#begun.add(module);
      const contributions = await this.#lifecycle.start(module.name, () =>
        named(module.name, "did not open", () => module.open(this.#registry)),
      );
      if (contributions.stop) this.#lifecycle.onStop(module.name, () => contributions.stop?.());
      this.#opened.push({ name: module.name, contributions });
    }
  }

  /** Starts the modules in the order of opening. Rejects with what the first that fails throws; its name is before it. */
  async start(): Promise<void> {
    for (const { name, contributions } of this.#opened)
      await this.#lifecycle.start(name, () =>
        named(name, "did not start", async () => contributions.start?.()),
      );
  }

  /** Drains all modules at once. */
  async drain(): Promise<void> {
    await Promise.all(this.#opened.map(async ({ contributions }) => contributions.drain?.()));
  }
}

/** Throws Error if two modules have one name, or one setting. */
export function assertDistinct(modules: readonly Pick<Module, "name" | "settings">[]): void {
  const names = modules.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw new Error(`Two modules have the name "${doubled}"`);
  assertUnique(
    "setting",
    modules.flatMap(({ name, settings }) => settings.map(({ key }) => [key, name])),
  );
}

function assertUnique(kind: string, entries: readonly (readonly [key: string, module: string])[]): void {
  const owners = new Map<string, string>();
  for (const [key, module] of entries) {
    const owner = owners.get(key);
    if (owner === module) throw new Error(`The module "${module}" has the ${kind} "${key}" twice`);
    if (owner !== undefined)
      throw new Error(`The ${kind} "${key}" belongs to two modules: "${owner}" and "${module}"`);
    owners.set(key, module);
  }
}

/** The wanted modules, each after those that it needs, otherwise in their order. */
function sortByNeeds(
  modules: readonly ConfiguredModule[],
  isProvided: (token: Token<unknown>) => boolean,
  isWanted: (module: ConfiguredModule) => boolean,
): ConfiguredModule[] {
  const providers = new Map<string, ConfiguredModule>();
  for (const module of modules) {
    if (!module.provides) continue;
    const { name } = module.provides;
    const other = providers.get(name)?.name ?? (isProvided(module.provides) ? "the server" : undefined);
    if (other !== undefined)
      throw new Error(
        `The module "${module.name}" provides "${name}", which ${quoted(other)} provides already`,
      );
    providers.set(name, module);
  }
  const sorted = new Set<ConfiguredModule>();
  const visit = (module: ConfiguredModule, path: readonly ConfiguredModule[]) => {
    if (sorted.has(module)) return;
    const from = path.indexOf(module);
    if (from >= 0)
      throw new Error(
        `Modules need each other in a circle: ${[...path.slice(from), module].map(({ name }) => name).join(" → ")}`,
      );
    for (const token of module.needs) {
      const provider = providers.get(token.name);
      if (provider) visit(provider, [...path, module]);
      else if (!isProvided(token) && !token.isOptional)
        throw new Error(`The module "${module.name}" needs "${token.name}", which nothing provides`);
    }
    sorted.add(module);
  };
  for (const module of modules.filter(isWanted)) visit(module, []);
  return [...sorted];
}

function quoted(name: string): string {
  return name === "the server" ? name : `the module "${name}"`;
}

/** Runs a step of a module; the error of a failure names the module. */
async function named<Result>(name: string, failure: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The module "${name}" ${failure}: ${reason}`, { cause: error });
  }
}
