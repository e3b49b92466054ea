// The cloud code of a Purse process: defines what a spec defines, and calls the spec's functions.
import { connectSpecs, thrownBy } from "./functionChannel.mjs";

const VALUES = (
  "params master ip headers installationId functionName triggerName jobName jobId context fileSize contentLength " +
  "isGet count readPreference event client clients subscriptions useMasterKey requestId op sessionToken forceDownload sendEvent isChallenge"
).split(" ");
const OBJECTS = ["object", "original", "user", "query", "file", "objects", "config"];
const UNSET_FIELDS = ["objectId", "createdAt", "updatedAt"];
const CONSTRUCTORS = { String, Number, Boolean, Object, Array, Date };

const channel = connectSpecs("cloud", ({ define, args, sequence }) => {
  let error;
  try {
    Parse.Cloud[define](...args.map(decodeArgument));
  } catch (thrown) {
    error = String(thrown?.message ?? thrown);
  }
  // A request follows the definitions that have been made before it: with its response, the server knows them.
  const confirm = () => void channel.send({ defined: sequence, error });
  Parse.Cloud.run("getServerTime").then(confirm, confirm);
});

function encode(value) {
  if (typeof value === "function") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Parse.Query) return { $query: value.className, json: value.toJSON() };
  if (value instanceof Parse.File)
    return {
      $file: { name: value.name(), url: value.url() },
      metadata: value.metadata?.(),
      tags: value.tags?.(),
    };
  if (value instanceof Parse.Object)
    return { $object: { ...value.toJSON(), className: value.className }, dirty: value.dirtyKeys() };
  if (value instanceof Parse.Config) return { $config: encode(value.attributes) };
  if (value instanceof Date) return { __type: "Date", iso: value.toISOString() };
  // A pointer that was not decoded for the cloud code.
  if (value.__type === "Pointer") return { $plain: value };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value.toJSON === "function") return value.toJSON();
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)]));
}

function decode(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(decode);
  if (value.$query) return Parse.Query.fromJSON(value.$query, value.json);
  if (value.$object) return Parse.Object.fromJSON(value.$object);
  if (value.$newFile) return new Parse.File(value.$newFile, { base64: value.base64 }, value.type);
  if (value.__type || value.__op) return Parse._decode("value", value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]));
}

/** Arguments of definitions: names, functions, validators. */
function decodeArgument(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.$function !== undefined) return (request) => callSpec(value.$function, request);
  if (value.$regex !== undefined) return new RegExp(value.$regex, value.flags);
  if (value.$constructor) return CONSTRUCTORS[value.$constructor] ?? Parse[value.$constructor];
  if (Array.isArray(value)) return value.map(decodeArgument);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decodeArgument(each)]));
}

async function callSpec(id, request) {
  const isRequest = request !== null && typeof request === "object" && "master" in request;
  const isEvent = request !== null && typeof request === "object" && "clients" in request;
  const args = isRequest || isEvent ? [{ $request: encodeRequest(request) }] : [encode(request)];
  const reply = await channel.call(id, args, (method, values) => request[method](...values));
  if (reply.context && request.context) Object.assign(request.context, reply.context);
  if (reply.query && request.op === "subscribe") request.query = decode(reply.query);
  if (reply.sendEvent !== undefined) request.sendEvent = reply.sendEvent;
  if (reply.forceDownload !== undefined) request.forceDownload = reply.forceDownload;
  if (reply.changes && request.object) applyChanges(request.object, reply.changes);
  if (reply.event) Object.assign(request, decode(reply.event));
  if (reply.file && request.file) {
    request.file.setMetadata(reply.file.metadata);
    request.file.setTags(reply.file.tags);
  }
  if (reply.fields && request.object) applyFields(request.object, reply.fields);
  if (reply.error) throw thrownBy(reply.error, Parse.Error);
  return decode(reply.value);
}

function encodeRequest(request) {
  const sent = { $isJob: typeof request.message === "function", $isEvent: "sendEvent" in request };
  for (const key of [...VALUES, ...OBJECTS]) if (request[key] !== undefined) sent[key] = encode(request[key]);
  return sent;
}

/** Leaves the object with the unsaved changes that it had in the spec. */
function applyChanges(object, changes) {
  const { password: _, ...known } = Object.fromEntries(object.dirtyKeys().map((key) => [key, true]));
  // A password is not part of an object's JSON: the spec did not get it.
  for (const key of Object.keys(known)) if (!(key in changes)) object.revert(key);
  for (const [key, value] of Object.entries(changes)) {
    if (value?.__op === "Delete") object.unset(key);
    else if (JSON.stringify(object.toJSON()[key]) === JSON.stringify(value)) continue;
    else if (key === "ACL") object.setACL(new Parse.ACL(value));
    else object.set(key, decode(value));
  }
}

/** Gives the object the fields that it had in the spec after an afterSave trigger, saved or not. */
function applyFields(object, fields) {
  const current = encode(object).$object;
  for (const key of Object.keys(current)) if (!(key in fields) && key !== "className") object.unset(key);
  for (const [key, value] of Object.entries(fields)) {
    if (JSON.stringify(current[key]) === JSON.stringify(value) || UNSET_FIELDS.includes(key)) continue;
    if (key === "ACL") object.setACL(new Parse.ACL(value));
    else object.set(key, decode(value));
  }
}

if (process.env.SPECS_CLOUD) await import(process.env.SPECS_CLOUD);
await channel.send({ ready: true });
