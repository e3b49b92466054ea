// Part of the process that runs the specs: the Purse process that they use, and the one that the next spec gets.
import { freePort } from "../../support/freePort.ts";
import {
  forgetDefinitions,
  hasDefinitions,
  listenForServers,
  removeDefinitions,
  useServer,
} from "./specFunctions.mjs";
import { listenForSpecs, startServer, useProxyFor } from "./specServers.mjs";

/** Specs that empty a server and use it again: so many, then a new one. */
const MAX_REUSES = 60;
const KEPT_CLASSES = ["_User", "_Role", "_Session", "_Installation", "_JobSchedule", "_Audience"];
const SYSTEM_CLASSES = [...KEPT_CLASSES, "_Product"];

export class CurrentServer {
  #options;
  #channelPort;
  #server;
  /** Settles when a server has been started for a request. */
  #starting;
  #isReconfigured = false;
  #reuses = 0;
  /** The classes of a new server. */
  #pristine;

  /**
   * @param options.configuration Makes the encoded configuration of new servers.
   * @param options.appId The application id of all servers.
   * @param options.masterKey The master key of all servers.
   * @param options.cloud A file with cloud code that all servers load.
   */
  constructor(options) {
    this.#options = options;
  }

  /** Starts the first server, which is reached at a port and a path. */
  async start(port, mount, answerItself) {
    this.#channelPort = await freePort();
    listenForServers(this.#channelPort);
    await listenForSpecs(port, mount, answerItself);
    await this.#startLate();
  }

  /** Restarts the server with another configuration and the same data. */
  async restart(configuration) {
    this.#isReconfigured = true;
    await this.#starting;
    this.disconnect();
    await this.#server?.stop();
    await this.#use(await this.#startNew(configuration, this.#server));
  }

  /** Makes the server unreachable. */
  disconnect() {
    useProxyFor(undefined);
  }

  /** Makes the server reachable again. */
  reconnect() {
    useProxyFor(this.#server ?? (() => this.#startLate()));
  }

  /** Forgets what a spec left behind: data, definitions and the configuration. */
  async reset() {
    const isEmpty = await this.#empty().catch(() => false);
    forgetDefinitions();
    this.#isReconfigured = false;
    if (isEmpty) return;
    this.#reuses = 0;
    const used = this.#server;
    this.#server = undefined;
    this.reconnect();
    void used?.remove();
  }

  async remove() {
    await this.#server?.remove();
  }

  #startNew(configuration, previous) {
    return startServer(configuration, this.#channelPort, previous, this.#options.cloud);
  }

  /** Starts a server for the first request of a spec. Specs with options of their own start theirs before. */
  async #startLate() {
    this.#starting ??= this.#startNew(this.#options.configuration())
      .then((next) => this.#use(next))
      .finally(() => {
        this.#starting = undefined;
      });
    await this.#starting;
    return this.#server;
  }

  async #use(next) {
    this.#server = next;
    useProxyFor(next);
    await useServer(next.id);
    this.#pristine ??= await this.#systemClasses();
  }

  async #ask(method, path) {
    const { appId, masterKey } = this.#options;
    const headers = { "X-Parse-Application-Id": appId, "X-Parse-Master-Key": masterKey };
    const answer = await fetch(`http://127.0.0.1:${this.#server.port}/server${path}`, { method, headers });
    return { isOk: answer.ok, body: await answer.json() };
  }

  /** System classes are described by name, because those without objects are not listed. */
  async #systemClasses() {
    const classes = await Promise.all(
      SYSTEM_CLASSES.map(async (className) => {
        const { body } = await this.#ask("GET", `/schemas/${className}`);
        return [className, Object.keys(body.fields ?? {}).sort(), body.classLevelPermissions];
      }),
    );
    return JSON.stringify(classes);
  }

  /** Empties the server for the next spec; false if it needs a new one. */
  async #empty() {
    if (this.#server === undefined) return !this.#isReconfigured;
    if (this.#isReconfigured || this.#server.hasRequestIds || ++this.#reuses > MAX_REUSES) return false;
    // Definitions of a cloud file would be removed, too.
    const isClean = this.#options.cloud === undefined ? await removeDefinitions() : !hasDefinitions();
    if (!isClean) return false;
    const { body: config } = await this.#ask("GET", "/config");
    const { body: functions } = await this.#ask("GET", "/hooks/functions");
    const { body: triggers } = await this.#ask("GET", "/hooks/triggers");
    if (Object.keys(config.params ?? {}).length + functions.length + triggers.length > 0) return false;
    if ((await this.#systemClasses()) !== this.#pristine) return false;
    const { body } = await this.#ask("GET", "/schemas");
    // The list has no internal classes.
    const classNames = [...body.results.map(({ className }) => className), "_JobSchedule", "_Audience"];
    for (const className of classNames) {
      const isSystem = className.startsWith("_");
      if (isSystem && !KEPT_CLASSES.includes(className)) continue;
      if (!(await this.#ask("DELETE", `/purge/${className}`)).isOk && isSystem) return false;
      if (!isSystem && !(await this.#ask("DELETE", `/schemas/${className}`)).isOk) return false;
    }
    return true;
  }
}
