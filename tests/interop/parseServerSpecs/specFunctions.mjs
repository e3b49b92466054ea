// Part of the process that runs the specs: its functions, as Purse processes call them.
import { createRequire } from "node:module";
import { join } from "node:path";
import { WebSocketServer } from "ws";

const require = createRequire(join(process.env.SPECS_FOLDER, "spec/helper.js"));
const Parse = require("parse/node");

const CONSTRUCTORS = [String, Number, Boolean, Object, Array, Date];
const PARSE_CONSTRUCTORS = ["User", "Role", "Session", "Installation", "File", "Config", "Object"];
const LOG = Object.fromEntries(
  ["info", "warn", "error", "debug", "verbose", "log"].map((level) => [level, () => undefined]),
);
const UNSENT_FIELDS = ["className", "createdAt", "updatedAt"];

/** The functions that have been sent, by id. */
const functions = new Map();
/** Sockets of the cloud code of Purse processes that run. */
const cloudSockets = new Set();
/** Definitions that have been sent and not yet made, by sequence. */
const unconfirmed = new Map();
/** What the running spec has defined: sent again to the next process. */
let definitions = [];
let target;
let lastSequence = 0;
let lastFunction = 0;
let lastCallback = 0;
/** Methods of requests that run in Purse's process, by id. */
const callbacks = new Map();
let onMail = () => undefined;
/** How many mails have been taken, and how many are being taken. */
let mails = 0;
let mailsInProgress = 0;

function register(run, self) {
  functions.set(++lastFunction, { run, self });
  return lastFunction;
}

/** Registers a method by its name, so that a spy that takes its place later is called. */
function registerMethod(name, self) {
  return register((...args) => self[name](...args), self);
}

/** Encodes the options of a server, adapters with their inherited methods. */
export function encodeOptions(value, self, depth = 0) {
  if (typeof value === "function") return { $function: register(value, self) };
  if (value === null || typeof value !== "object") return value;
  if (depth > 8) return undefined;
  if (value instanceof RegExp) return { $regex: value.source, flags: value.flags };
  if (Array.isArray(value)) return value.map((each) => encodeOptions(each, value, depth + 1));
  const encoded = {};
  for (let level = value; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const key of Object.getOwnPropertyNames(level)) {
      if (key === "constructor" || key in encoded) continue;
      encoded[key] =
        typeof value[key] === "function"
          ? { $function: registerMethod(key, value) }
          : encodeOptions(value[key], value, depth + 1);
    }
  }
  return encoded;
}

/** Encodes an argument of a definition. */
function encodeArgument(value, self) {
  if (typeof value === "function") {
    if (CONSTRUCTORS.includes(value)) return { $constructor: value.name };
    const name = PARSE_CONSTRUCTORS.find((each) => Parse[each] === value);
    if (name !== undefined) return { $constructor: name };
    return value.prototype instanceof Parse.Object ? value.className : { $function: register(value, self) };
  }
  if (value === null || typeof value !== "object") return value;
  if (value instanceof RegExp) return { $regex: value.source, flags: value.flags };
  if (value instanceof Parse.ACL || value instanceof Parse.Object) return value.toJSON();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => encodeArgument(each, value));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encodeArgument(each, value)]));
}

/** The fields of an object; unsaved pointers with the fields of their objects, as Parse Server has them. */
function fieldsOf(object) {
  const fields = { ...object.toJSON(), className: object.className };
  for (const key of Object.keys(object._getPendingOps()[0])) {
    const value = object.get(key);
    if (value instanceof Parse.Object) fields[key] = value._toFullJSON();
  }
  return fields;
}

function encode(value) {
  if (typeof value === "function") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Parse.Query) return { $query: value.className, json: value.toJSON() };
  if (value instanceof Parse.File)
    return value.url()
      ? value.toJSON()
      : { $newFile: value.name(), base64: value._data, type: value._source?.type };
  if (value instanceof Parse.Object) return { $object: fieldsOf(value) };
  if (value instanceof Date) return { __type: "Date", iso: value.toISOString() };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value.toJSON === "function") return value.toJSON();
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)]));
}

function decode(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(decode);
  if (value.$undefined) return undefined;
  if (value.$object) return objectOf(value);
  if (value.$query) return Parse.Query.fromJSON(value.$query, value.json);
  if (value.$config) return Object.assign(new Parse.Config(), { attributes: decode(value.$config) });
  if (value.$file) return fileOf(value);
  if (value.$plain) return value.$plain;
  if (value.__type || value.__op) return Parse._decode("value", value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]));
}

function fileOf({ $file, metadata, tags }) {
  const file = Parse.File.fromJSON({ __type: "File", ...$file });
  if (metadata) file.setMetadata(metadata);
  if (tags) file.setTags(tags);
  return file;
}

/** An object with unsaved changes of the `dirty` fields; others are as they were before. */
function objectOf({ $object, dirty = [] }, original = {}) {
  const { className, ...fields } = $object;
  const saved = Object.fromEntries(
    Object.entries({ ...original, ...fields }).flatMap(([key, value]) => {
      if (!dirty.includes(key)) return [[key, value]];
      return key in original ? [[key, original[key]]] : [];
    }),
  );
  const isNew = fields.objectId === undefined;
  const object = isNew
    ? Parse.Object.fromJSON({ className })
    : Parse.Object.fromJSON({ ...saved, className, __type: "Object" });
  const changed = isNew ? Object.keys(fields).filter((key) => !UNSENT_FIELDS.includes(key)) : dirty;
  for (const key of changed) {
    // A password is not part of an object's JSON.
    if (key === "password") continue;
    if (!(key in fields)) object.unset(key);
    else if (key === "ACL") object.setACL(new Parse.ACL(fields.ACL));
    else object.set(key, decode(fields[key]));
  }
  return object;
}

function unsavedChanges(object) {
  const operations = Object.assign({}, ...object._getPendingOps());
  const json = object.toJSON();
  const changes = {};
  for (const [key, operation] of Object.entries(operations)) {
    const sent = operation.toJSON();
    if (sent?.__op === "Delete") changes[key] = sent;
    else if (key === "ACL") changes[key] = object.getACL().toJSON();
    else if (json[key] !== undefined) changes[key] = json[key];
  }
  return changes;
}

function errorOf(thrown) {
  if (thrown instanceof Parse.Error)
    return { isParseError: true, code: thrown.code, message: thrown.message };
  if (thrown instanceof Error) return { message: thrown.message, code: thrown.code };
  return { plain: thrown ?? null, message: String(thrown) };
}

/** Calls a method of the request in Purse's process; resolves when it has returned. */
function callBack(socket, of, method, args) {
  const id = ++lastCallback;
  return new Promise((resolve, reject) => {
    callbacks.set(id, (error) => (error === undefined ? resolve() : reject(new Error(error))));
    socket.send(JSON.stringify({ calledBack: id, of, method, args }));
  });
}

/** Dates of parameters keep their fields, as in the cloud code of Purse and of Parse Server. */
function withDateFields(value) {
  if (value instanceof Date) return Object.assign(value, { __type: "Date", iso: value.toISOString() });
  if (Array.isArray(value)) value.forEach(withDateFields);
  else if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    Object.values(value).forEach(withDateFields);
  return value;
}

function requestOf(sent, call) {
  const request = { log: LOG };
  for (const [key, value] of Object.entries(sent)) {
    if (key === "$isJob" || key === "$isEvent") continue;
    if (key === "params") request.params = withDateFields(decode(value));
    else if (key === "object" && value?.$object)
      request.object = objectOf(value, sent.triggerName === "beforeSave" ? sent.original?.$object : {});
    else request[key] = key === "headers" || key === "context" ? value : decode(value);
  }
  if (sent.triggerName === "afterSave" && !sent.original) request.object?._setExisted?.(false);
  if (sent.$isJob) request.message = (message) => callBack(call.socket, call.number, "message", [message]);
  return request;
}

/** Calls a function of cloud code, of today's form or of the one with a response. */
function callWith(request, { run, self }) {
  const hasResponse = run.length > 1 && request.functionName !== undefined;
  if (!hasResponse) return run.call(self, request);
  return new Promise((success, error) => {
    run.call(self, request, { success, error })?.then?.(undefined, error);
  });
}

/** Whether two values are the same as JSON. */
function isSameData(a, b) {
  try {
    return sortedJson(a) === sortedJson(b);
  } catch {
    return false;
  }
}

function sortedJson(value) {
  return JSON.stringify(value, (_, each) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

async function answer({ call, number, args }, socket) {
  const reply = { result: number };
  let request;
  try {
    if (call === "mail") {
      mailsInProgress++;
      await onMail(args[0]).finally(() => {
        mailsInProgress--;
        mails++;
      });
    } else if (args[0]?.$request === undefined) {
      const { run, self } = functions.get(call);
      // Options that an adapter is asked with are the adapter itself, without its functions.
      const isOptions = (arg) => arg !== null && typeof arg === "object" && isSameData(arg, self);
      const given = args.map((arg) => (isOptions(arg) ? self : decode(arg)));
      reply.value = encode(await run.apply(self, given));
    } else {
      request = requestOf(args[0].$request, { socket, number });
      const returned = await callWith(request, functions.get(call));
      const value = returned ?? request.objects ?? request.query;
      reply.value = request.object && value instanceof Parse.Object ? undefined : encode(value);
    }
  } catch (thrown) {
    reply.error = errorOf(thrown);
  }
  if (request?.object instanceof Parse.Object) {
    if (args[0].$request.$isEvent)
      reply.event = encode({ object: request.object, original: request.original });
    else if (request.triggerName === "afterSave") reply.fields = fieldsOf(request.object);
    else reply.changes = unsavedChanges(request.object);
  }
  if (request?.context) reply.context = request.context;
  if (request?.query instanceof Parse.Query) reply.query = encode(request.query);
  if (request?.file instanceof Parse.File)
    reply.file = { metadata: request.file.metadata(), tags: request.file.tags() };
  if (request?.sendEvent !== undefined) reply.sendEvent = request.sendEvent;
  if (request?.forceDownload !== undefined) reply.forceDownload = request.forceDownload;
  socket.send(JSON.stringify(reply));
}

function send(definition) {
  if (target === undefined) return;
  const sequence = ++lastSequence;
  unconfirmed.set(sequence, definition);
  target.send(JSON.stringify({ ...definition, sequence }));
}

/** Listens for Purse processes. The port does not keep the process alive. */
export function listenForServers(port) {
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  server.on("connection", (socket) => {
    socket._socket.unref();
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      if (message.role !== undefined) {
        socket.server = message.server;
        if (message.role === "cloud") cloudSockets.add(socket);
      } else if (message.ready) {
        socket.isReady = true;
        // Its thread was started again.
        if (target?.server === socket.server) useSocket(socket);
      } else if (message.defined !== undefined) unconfirmed.delete(message.defined);
      else if (message.returned !== undefined) {
        callbacks.get(message.returned)?.(message.error);
        callbacks.delete(message.returned);
      } else if (message.call !== undefined) void answer(message, socket);
    });
    socket.on("close", () => cloudSockets.delete(socket));
  });
  server._server.unref();
}

function useSocket(socket) {
  unconfirmed.clear();
  target = socket;
  for (const definition of definitions) send(definition);
}

/** Defines functions and triggers in the cloud code of this server from now on. */
export async function useServer(id) {
  target = undefined;
  const deadline = Date.now() + 20_000;
  const find = () => [...cloudSockets].find(({ isReady, server }) => isReady && server === id);
  while (find() === undefined && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  useSocket(find());
}

/** Defines a function or a trigger, such as `define("beforeSave", ["Item", run])`. */
function define(name, args) {
  const definition = { define: name, args: args.map((each) => encodeArgument(each)) };
  definitions.push(definition);
  send(definition);
}

/** Members of Parse.Cloud that define functions and triggers in the cloud code of the current server. */
export const cloudDefinitions = Object.fromEntries(
  (
    "define job beforeSave afterSave beforeDelete afterDelete beforeFind afterFind beforeLogin afterLogin afterLogout " +
    "beforePasswordResetRequest beforeConnect beforeSubscribe onLiveQueryEvent afterLiveQueryEvent " +
    "beforeSaveFile afterSaveFile beforeDeleteFile afterDeleteFile"
  )
    .split(" ")
    .map((name) => [name, (...args) => define(name, args)]),
);

/** Waits until all definitions have been made; false if they have not been for long. */
export async function definitionsMade() {
  const deadline = Date.now() + 5_000;
  while (unconfirmed.size > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 2));
  const areMade = unconfirmed.size === 0;
  unconfirmed.clear();
  return areMade;
}

export function hasDefinitions() {
  return definitions.length > 0;
}

/** Removes the definitions of a spec from its server; false if the server should not be used again. */
export async function removeDefinitions() {
  if (definitions.length === 0) return true;
  // Runs of jobs stay behind.
  if (definitions.some(({ define: name }) => name === "job")) return false;
  define("_removeAllHooks", []);
  return await definitionsMade();
}

export function forgetDefinitions() {
  definitions = [];
  unconfirmed.clear();
}

export function takenMails() {
  return mails;
}

/** Whether a mail has come that has not been taken yet. */
export function isTakingMail() {
  return mailsInProgress > 0;
}

export function takeMails(take) {
  onMail = take;
}
