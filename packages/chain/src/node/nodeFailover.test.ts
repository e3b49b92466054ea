import { describe, expect, it } from "vitest";
import { type Endpoint, NodeFailover } from "./nodeFailover.ts";
import { InvalidNodeDataError, RpcUnreachableError } from "./rpcErrors.ts";
import type { Transport } from "./transport.ts";

const transport: Transport = { send: () => Promise.reject(new Error("not sent")), close: () => undefined };

function createNodes(count: number): { nodes: NodeFailover; endpoints: readonly Endpoint[] } {
  const addresses = Array.from({ length: count }, (_, i) => ({
    ...{ host: `node-${i}`, transport, untrustedTransport: transport },
  }));
  const nodes = new NodeFailover(addresses, { verifiesChain: true });
  return { nodes, endpoints: nodes.endpoints };
}

const hosts = (nodes: NodeFailover, method = "eth_blockNumber") =>
  nodes.byPreference(method).map(({ host }) => host);

function compare(
  { nodes, endpoints }: ReturnType<typeof createNodes>,
  heads: readonly (number | undefined)[],
) {
  const found = heads.flatMap((head, i) => {
    const endpoint = endpoints[i];
    return endpoint && head !== undefined ? [[endpoint, { head, latencyMs: 1 }] as const] : [];
  });
  nodes.recordHeads(new Map(found));
}

describe("the nodes of a chain", () => {
  it("are asked in the order of the settings, and then the one first that responded last", () => {
    const { nodes, endpoints } = createNodes(3);
    expect(hosts(nodes)).toEqual(["node-0", "node-1", "node-2"]);
    if (endpoints[1]) nodes.recordSuccess(endpoints[1], 5);
    expect(hosts(nodes)).toEqual(["node-1", "node-2", "node-0"]);
  });

  it("do not count as behind for the blocks of a moment", () => {
    const created = createNodes(2);
    compare(created, [100, 103]);
    compare(created, [103, 106]);
    expect(created.nodes.health.map(({ state }) => state)).toEqual(["well", "well"]);
    expect(hosts(created.nodes)).toEqual(["node-0", "node-1"]);
  });

  it("are asked last while they stand still, also if they respond, and again when they have caught up", () => {
    const created = createNodes(2);
    const { nodes, endpoints } = created;
    compare(created, [100, 103]);
    if (endpoints[0]) nodes.recordSuccess(endpoints[0], 5);
    compare(created, [100, 106]);
    expect(nodes.health).toMatchObject([
      { state: "behind", head: 100 },
      { state: "well", head: 106 },
    ]);
    expect(hosts(nodes)).toEqual(["node-1", "node-0"]);
    compare(created, [109, 109]);
    expect(hosts(nodes)).toEqual(["node-0", "node-1"]);
  });

  it("are all asked when none has the blocks that another one had before it failed", () => {
    const created = createNodes(2);
    compare(created, [100, 106]);
    compare(created, [101, undefined]);
    expect(hosts(created.nodes)).toEqual(["node-1", "node-0"]);
    compare(created, [102, undefined]);
    expect(hosts(created.nodes)).toEqual(["node-0", "node-1"]);
  });

  it("are avoided for a method that they lack, but not for others", () => {
    const { nodes, endpoints } = createNodes(2);
    if (endpoints[0]) nodes.avoid(endpoints[0], "debug_traceBlockByHash");
    expect(hosts(nodes, "debug_traceBlockByHash")).toEqual(["node-1", "node-0"]);
    expect(hosts(nodes)).toEqual(["node-0", "node-1"]);
  });

  it("are penalized for the data that they returned, whichever is asked first", () => {
    const { nodes, endpoints } = createNodes(3);
    const [, second] = endpoints;
    nodes.penalize(new InvalidNodeDataError("wrong"), new Set(second && [second]));
    expect(nodes.health.map(({ state }) => state)).toEqual(["unused", "refused", "unused"]);
    expect(hosts(nodes)).toEqual(["node-0", "node-2", "node-1"]);
    // Other requests that it answers do not make up for that.
    if (second) nodes.recordSuccess(second, 1);
    expect(nodes.health[1]).toMatchObject({ state: "refused", error: "wrong" });
  });

  it("are verified again after a failure", () => {
    const { nodes, endpoints } = createNodes(1);
    const [only] = endpoints;
    if (!only) throw new Error("there is no node");
    only.isVerified = true;
    nodes.recordFailure(only, new RpcUnreachableError("gone"));
    expect(only.isVerified).toBe(false);
    expect(nodes.health).toMatchObject([{ state: "failing", error: "gone" }]);
  });
});
