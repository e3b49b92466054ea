import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Lifecycle } from "./lifecycle.ts";
import type { Logger } from "./logger.ts";
import { defineModule, isModule, type Module } from "./moduleDefinition.ts";
import { assertDistinct, ModuleHost } from "./moduleHost.ts";
import { setting } from "./setting.ts";
import { SettingError } from "./settingErrors.ts";
import { optional, token } from "./token.ts";

declare module "./moduleDefinition.ts" {
  interface ModuleFacts {
    environment?: string;
  }
  interface ModuleContributions {
    routes?: readonly string[];
  }
}

const FACTS = { environment: "development" };
const CLOCK = token<() => number>("clock");
const STORE = token<{ read(): string }>("store");
const MAIL = token<{ send(): void }>("mail");

function setUp(modules: readonly Module[], inputs: Record<string, unknown> = {}) {
  const errors: string[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => void errors.push(`${message}: ${String(fields?.what)}`),
    with: () => logger,
  };
  const lifecycle = new Lifecycle(logger);
  const configured = modules.map((module) => module.configure(inputs, FACTS));
  const host = new ModuleHost(configured, lifecycle);
  return { host, lifecycle, errors };
}

/** A module that notes in `done` what happens to it. */
function noting(
  name: string,
  done: string[],
  fails: { open?: boolean; start?: boolean; stop?: boolean } = {},
): Module {
  const step = (what: "open" | "start" | "stop") => () => {
    if (fails[what]) throw new Error(`${name} cannot ${what}`);
    done.push(`${what} ${name}`);
  };
  return defineModule({
    name,
    open() {
      step("open")();
      return { start: step("start"), drain: () => void done.push(`drain ${name}`), stop: step("stop") };
    },
  });
}

describe("modules", () => {
  it("are opened after those whose services they need, and otherwise in their order", async () => {
    const order: string[] = [];
    const reader = defineModule({
      name: "reader",
      needs: { store: STORE, clock: CLOCK },
      open({ store, clock }) {
        order.push(`reader reads ${store.read()} at ${clock()}`);
        return {};
      },
    });
    const store = defineModule({
      name: "store",
      provides: STORE,
      open() {
        order.push("store");
        return { service: { read: () => "rows" } };
      },
    });
    const other = defineModule({
      name: "other",
      open() {
        order.push("other");
        return {};
      },
    });
    const { host } = setUp([reader, other, store]);
    host.provide(CLOCK, () => 7);
    await host.open();
    expect(order).toEqual(["store", "reader reads rows at 7", "other"]);
    expect(host.get(STORE).read()).toBe("rows");
  });

  it("can be opened before the others for the service of one, with those that it needs", async () => {
    const order: string[] = [];
    const opening = <Service>(name: string, service: Service) => ({
      name,
      open() {
        order.push(name);
        return { service };
      },
    });
    const mail = defineModule({
      ...opening("mail", { send() {} }),
      provides: MAIL,
      needs: { store: STORE },
    });
    const store = defineModule({ ...opening("store", { read: () => "rows" }), provides: STORE });
    const other = defineModule({ ...opening("other", undefined), needs: { clock: CLOCK, mail: MAIL } });
    const { host } = setUp([other, mail, store]);
    const opened = await host.openFor(MAIL);
    expect(order).toEqual(["store", "mail"]);
    expect(await host.openFor(MAIL)).toBe(opened);
    host.provide(CLOCK, () => 7);
    await host.open();
    expect(order).toEqual(["store", "mail", "other"]);
  });

  it("are not opened for a service that nothing provides", async () => {
    const { host } = setUp([
      defineModule({ name: "mail", provides: MAIL, needs: { store: STORE }, open: () => ({}) }),
    ]);
    await expect(host.openFor(CLOCK)).rejects.toThrow('Nothing provides the service "clock"');
    await expect(host.openFor(MAIL)).rejects.toThrow(
      'The module "mail" needs "store", which nothing provides',
    );
  });

  it("get a service that opens after them as a function, which rejects calls before that", async () => {
    const late = token<() => string>("late");
    let read = () => "";
    const reader = defineModule({
      name: "reader",
      needs: { late },
      open({ late }) {
        read = late;
        return {};
      },
    });
    const { host } = setUp([reader]);
    const provide = host.provideLater(late);
    await host.open();
    expect(() => read()).toThrow('The service "late" is used before it is open');
    provide("rows");
    expect(read()).toBe("rows");
  });

  it("start in the order of opening, drain, and stop in reverse", async () => {
    const done: string[] = [];
    const { host, lifecycle } = setUp([noting("first", done), noting("second", done)]);
    await host.open();
    await host.start();
    await host.drain();
    await lifecycle.stop();
    expect(done).toEqual([
      "open first",
      "open second",
      "start first",
      "start second",
      "drain first",
      "drain second",
      "stop second",
      "stop first",
    ]);
  });

  it("get their validated settings, and declare their classes by them", async () => {
    const seen: unknown[] = [];
    const invoices = defineModule({
      name: "invoices",
      settings: {
        invoiceCurrency: setting(z.string().default("EUR"), { description: "Currency" }),
        invoiceDays: setting(z.coerce.number(), { description: "Days to pay", env: "PURSE_DAYS" }),
      },
      classes: ({ settings, facts }) => [{ className: `${settings.invoiceCurrency}In${facts.environment}` }],
      open({ settings }) {
        seen.push(settings);
        return { routes: ["/invoices"] };
      },
    });
    const { host } = setUp([invoices], { invoiceDays: "14" });
    await host.open();
    expect(seen).toEqual([{ invoiceCurrency: "EUR", invoiceDays: 14 }]);
    expect(host.classes).toEqual([{ className: "EURIndevelopment" }]);
    expect(host.opened.map(({ name, contributions }) => [name, contributions.routes])).toEqual([
      ["invoices", ["/invoices"]],
    ]);
    expect(invoices.settings).toMatchObject([
      { key: "invoiceCurrency", description: "Currency" },
      { key: "invoiceDays", description: "Days to pay", env: "PURSE_DAYS" },
    ]);
  });

  it("reject an invalid setting with its key and the path in it", () => {
    const module = defineModule({
      name: "push",
      settings: { push: setting(z.object({ keys: z.array(z.string()) }), { description: "Keys" }) },
      open: () => ({}),
    });
    const error = (() => {
      try {
        return module.configure({ push: { keys: ["a", 1] } }, FACTS);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(SettingError);
    expect(error).toMatchObject({ location: "push.keys[1]" });
  });

  it("open without an optional service, and get it if a module provides it", async () => {
    const seen: unknown[] = [];
    const reports = defineModule({
      name: "reports",
      needs: { mail: optional(MAIL) },
      open({ mail }) {
        seen.push(mail);
        return {};
      },
    });
    await setUp([reports]).host.open();
    const service = { send() {} };
    const mail = defineModule({ name: "mail", provides: MAIL, open: () => ({ service }) });
    await setUp([reports, mail]).host.open();
    expect(seen).toEqual([undefined, service]);
  });

  it("are all stopped if one does not open, and the error names it", async () => {
    const done: string[] = [];
    const modules = [noting("first", done), noting("second", done, { open: true }), noting("third", done)];
    const { host, lifecycle } = setUp(modules);
    await expect(lifecycle.stopOnFailure(() => host.open())).rejects.toThrow(
      'The module "second" did not open: second cannot open',
    );
    expect(done).toEqual(["open first", "stop first"]);
  });

  it("are all stopped if one does not start, and the error names it", async () => {
    const done: string[] = [];
    const { host, lifecycle } = setUp([noting("first", done), noting("second", done, { start: true })]);
    await host.open();
    await expect(lifecycle.stopOnFailure(() => host.start())).rejects.toThrow(
      'The module "second" did not start: second cannot start',
    );
    expect(done.slice(2)).toEqual(["start first", "stop second", "stop first"]);
  });

  it("are stopped although one throws in stop, which is logged with its name", async () => {
    const done: string[] = [];
    const { host, lifecycle, errors } = setUp([
      noting("first", done),
      noting("second", done, { stop: true }),
    ]);
    await host.open();
    await expect(lifecycle.stop()).rejects.toThrow("second cannot stop");
    expect(done.at(-1)).toBe("stop first");
    expect(errors).toEqual(["a component failed to stop: second"]);
  });

  const needing = (name: string, needs: string, provides: string) =>
    defineModule({
      name,
      needs: { needed: token<object>(needs) },
      provides: token<object>(provides),
      open: () => ({ service: {} }),
    });

  it.each<[what: string, modules: Module[], message: string]>([
    [
      "an unknown need",
      [needing("a", "nowhere", "a")],
      'The module "a" needs "nowhere", which nothing provides',
    ],
    [
      "a circle",
      [needing("a", "c", "a"), needing("b", "a", "b"), needing("c", "b", "c")],
      "Modules need each other in a circle: a → c → b → a",
    ],
    [
      "two providers",
      [needing("a", "clock", "x"), needing("b", "clock", "x")],
      'The module "b" provides "x", which the module "a" provides already',
    ],
    [
      "a provider of what the server has",
      [needing("a", "clock", "clock")],
      'The module "a" provides "clock", which the server provides already',
    ],
    [
      "a missing service",
      [defineModule({ name: "a", provides: token<object | undefined>("x"), open: () => ({}) })],
      'The module "a" did not open: it provides "x", but open() of "a" returned no service',
    ],
  ])("do not open with %s", async (_what, modules, message) => {
    const { host } = setUp(modules);
    host.provide(CLOCK, () => 0);
    await expect(host.open()).rejects.toThrow(message);
  });

  const withSetting = (name: string, key: string) =>
    defineModule({
      name,
      settings: { [key]: setting(z.unknown(), { description: "Any" }) },
      open: () => ({}),
    });
  const withClasses = (name: string, ...classNames: string[]) =>
    defineModule({
      name,
      classes: () => classNames.map((className) => ({ className })),
      open: () => ({}),
    });

  it("need names and settings of their own", () => {
    expect(() => assertDistinct([withClasses("a"), withClasses("a")])).toThrow(
      'Two modules have the name "a"',
    );
    expect(() => assertDistinct([withSetting("a", "limit"), withSetting("b", "limit")])).toThrow(
      'The setting "limit" belongs to two modules: "a" and "b"',
    );
  });

  it("need classes of their own", () => {
    expect(() => setUp([withClasses("a", "Invoice"), withClasses("b", "Invoice")])).toThrow(
      'The class "Invoice" belongs to two modules: "a" and "b"',
    );
    expect(() => setUp([withClasses("a", "Invoice", "Invoice")])).toThrow(
      'The module "a" has the class "Invoice" twice',
    );
  });

  it.each<[member: string, definition: object, message: string]>([
    ["no name", {}, "not undefined"],
    ["a name with blanks", { name: "My module" }, 'not "My module"'],
    [
      "needs that are no object",
      { name: "a", needs: [] },
      'The module "a": "needs" must be an object of tokens',
    ],
    ["a need that is no token", { name: "a", needs: { x: "x" } }, '"needs.x" must be a token'],
    ["a name as provided token", { name: "a", provides: "x" }, '"provides" must be a token'],
    [
      "a setting that is no schema",
      { name: "a", settings: { x: 1 } },
      '"settings.x" must be made by setting(',
    ],
    [
      "a setting without a description",
      { name: "a", settings: { x: z.string() }, open() {} },
      "no description",
    ],
    ["classes in a list", { name: "a", classes: [] }, '"classes" must be a function'],
    ["no open", { name: "a" }, '"open" must be a function'],
  ])("are refused with %s", (_member, definition, message) => {
    const define: (definition: object) => unknown = (given) =>
      Reflect.apply(defineModule, undefined, [given]);
    expect(() => define(definition)).toThrow(message);
  });

  it("are told from other values of a config file", () => {
    expect(isModule(withClasses("a"))).toBe(true);
    for (const value of [undefined, null, "a", {}, { name: "a" }, [withClasses("a")]])
      expect(isModule(value)).toBe(false);
  });
});
