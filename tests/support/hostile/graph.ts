import { rest } from "../purse.ts";
import { pointer, repeat } from "./requestAttack.ts";
import type { Target } from "./target.ts";

/** Public objects that lead to many others: by pointers, relations and lists. */
export interface Graph {
  /** An object of the class `Knot` with a text of 1 MB. */
  largeId: string;
  /** An object of the class `Knot` whose relation has all others. */
  hubId: string;
  ids: readonly string[];
}

/** Objects of the class `Knot`, each of which leads to all of them. */
export const KNOTS = 60;
const LARGE_TEXT = "x".repeat(1_000_000);
const MASTER = { useMasterKey: true };

const graphs = new WeakMap<Target, Promise<Graph>>();

/** Creates the objects, once for a server. */
export function graphOf(target: Target): Promise<Graph> {
  const known = graphs.get(target) ?? createGraph(target);
  graphs.set(target, known);
  return known;
}

async function createGraph({ purse }: Target): Promise<Graph> {
  const toKnots = { type: "Relation", targetClass: "Knot" };
  await rest(purse, "POST", "/schemas/Shut", { classLevelPermissions: { find: {}, get: {} } }, MASTER);
  const fields = {
    title: { type: "String" },
    text: { type: "String" },
    next: { type: "Pointer", targetClass: "Knot" },
    all: { type: "Array" },
    others: toKnots,
    shut: { type: "Relation", targetClass: "Shut" },
  };
  await rest(purse, "POST", "/schemas/Knot", { fields }, MASTER);
  const create = async (body: object) =>
    String((await rest(purse, "POST", "/classes/Knot", body, MASTER)).body.objectId);
  const largeId = await create({ title: "large", text: LARGE_TEXT });
  const ids: string[] = [];
  for (let i = 0; i < KNOTS; i++) ids.push(await create({ title: `knot ${i}` }));
  const knots = ids.map(knot);
  const requests = ids.map((id, i) => ({
    method: "PUT",
    path: `/server/classes/Knot/${id}`,
    body: {
      next: knots[(i + 1) % KNOTS],
      all: knots,
      others: { __op: "AddRelation", objects: knots },
      shut: { __op: "AddRelation", objects: [{ ...pointer(i), className: "Shut" }] },
    },
  }));
  await rest(purse, "POST", "/batch", { requests }, MASTER);
  const wide = {
    all: repeat(100, () => knot(largeId)),
    next: knot(largeId),
  };
  const holder = { method: "POST", path: "/server/classes/Wide", body: wide };
  await rest(purse, "POST", "/batch", { requests: repeat(60, () => holder) }, MASTER);
  return { largeId, hubId: ids[0] ?? "", ids };
}

function knot(objectId: string) {
  return { __type: "Pointer", className: "Knot", objectId };
}
