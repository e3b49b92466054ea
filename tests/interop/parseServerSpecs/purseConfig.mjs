// The configuration of a Purse process: options of a spec, whose functions are called where the spec runs.
import { readFileSync } from "node:fs";
import { connectSpecs, thrownBy } from "./functionChannel.mjs";

let channel;

function decode(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.$regex !== undefined) return new RegExp(value.$regex, value.flags);
  if (value.$function !== undefined) return (...args) => call(value.$function, args);
  if (Array.isArray(value)) return value.map(decode);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]));
}

/** Encodes the arguments of a function: users become objects of the SDK, and keys without values stay. */
function encode(value) {
  if (value === undefined) return { $undefined: true };
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value.toJSON === "function" && value.className !== undefined)
    return { $object: { ...value.toJSON(), className: value.className } };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)]));
}

async function call(id, args) {
  channel ??= connectSpecs("config");
  const reply = await channel.call(id, args.map(encode));
  if (reply.error) throw thrownBy(reply.error);
  return reply.value;
}

export default decode(JSON.parse(readFileSync(process.env.SPECS_OPTIONS, "utf8")));
