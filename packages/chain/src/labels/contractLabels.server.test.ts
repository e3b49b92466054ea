import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { close, listen } from "../../test/proxyNode.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import type { Labels } from "../model/chainConfig.ts";
import { ContractLabels } from "./contractLabels.ts";

const [LISTED, OTHER, SPAM, VERIFIED] = ["1a", "2b", "3c", "4d"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
const LOGO = "https://logo.example/1.png";

let folder: string;
let path: string;
let server: Server | undefined;
const log = createRecordingLogger();

const token = (address: string, logoURI?: unknown, chainId = 1) => ({
  chainId,
  address,
  name: "Token",
  symbol: "TKN",
  decimals: 18,
  logoURI,
});
const save = (...tokens: unknown[]) => writeFile(path, JSON.stringify({ name: "List", tokens }));
const labelsOf = (labels: Labels) =>
  new ContractLabels({ id: 1, name: "eth", aliases: [], rpcUrls: [], labels }, log);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-labels-"));
  path = join(folder, "tokenlist.json");
});
afterEach(async () => {
  if (server) await close(server);
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

describe("the labels of contracts", () => {
  it("have verified contracts and logos from a token list of the chain", async () => {
    await save(token(LISTED.toUpperCase().replace("0X", "0x"), LOGO), token(OTHER, LOGO, 137));
    const labels = labelsOf({ tokenLists: [path] });
    await labels.refresh();
    expect(labels.of(LISTED)).toEqual({ isSpam: false, isVerified: true, logo: LOGO });
    expect(labels.of(OTHER)).toEqual({ isSpam: false, isVerified: false, logo: null });
  });

  it("have no logos that clients should not load, and skip invalid tokens", async () => {
    await save(token(LISTED, "javascript:alert(1)"), token(OTHER, 5), token("0x1", LOGO), "token", null);
    const labels = labelsOf({ tokenLists: [path] });
    await labels.refresh();
    expect(labels.of(LISTED)).toEqual({ isSpam: false, isVerified: true, logo: null });
    expect(labels.of(OTHER).logo).toBeNull();
  });

  it("are refreshed, and kept if a list can no longer be read", async () => {
    let body = JSON.stringify({ tokens: [token(LISTED, LOGO)] });
    server = createServer((_request, response) => response.end(body));
    const url = `${await listen(server)}/list.json?key=secret`;
    const labels = labelsOf({ tokenLists: [url] });
    await labels.refresh();
    expect(labels.of(LISTED).isVerified).toBe(true);
    body = "<html>";
    await labels.refresh();
    expect(labels.of(LISTED).isVerified).toBe(true);
    expect(log.lines.join()).toMatch(/a token list cannot be read/);
    expect(log.lines.join()).not.toMatch(/secret/);
    body = JSON.stringify({ tokens: [token(OTHER)] });
    await labels.refresh();
    expect([labels.of(LISTED).isVerified, labels.of(OTHER).isVerified]).toEqual([false, true]);
  });

  it("are those of the first list that has a contract", async () => {
    await save(token(LISTED, LOGO));
    const second = join(folder, "second.json");
    await writeFile(second, JSON.stringify({ tokens: [token(LISTED, "https://second.example/a.png")] }));
    const labels = labelsOf({ tokenLists: [path, second] });
    await labels.refresh();
    expect(labels.of(LISTED).logo).toBe(LOGO);
  });

  it("report spam by the operator's list and by the rules, but not for verified contracts", () => {
    const labels = labelsOf({ spam: [SPAM], verified: [VERIFIED, SPAM] });
    const lure = "Claim at reward.com";
    expect(labels.of(SPAM)).toMatchObject({ isSpam: true, isVerified: false });
    expect(labels.of(OTHER, lure)).toMatchObject({ isSpam: true, isVerified: false });
    expect(labels.of(VERIFIED, lure)).toMatchObject({ isSpam: false, isVerified: true });
  });
});
