import { Query, Web3API } from "@purse/client";
import { afterEach, expect, it, vi } from "vitest";
import { readCompletedSteps } from "./completedSteps.ts";

const OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const OTHER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const SINCE = new Date("2026-11-20T10:00:00Z");

vi.mock("@purse/client", () => ({
  Web3API: { account: { getTransactions: vi.fn() } },
  Query: vi.fn(),
}));

interface Sent {
  from_address: string;
  to_address: string | null;
  value: string;
  receipt_status: string;
}

const sent: Sent = { from_address: OWN, to_address: OTHER, value: "1", receipt_status: "1" };

function answerWith(transactions: unknown, records: unknown) {
  const answer = (value: unknown) => async () => {
    if (value instanceof Error) throw value;
    return value;
  };
  vi.mocked(Web3API.account.getTransactions).mockImplementation(
    Object(answer(transactions instanceof Error ? transactions : { result: transactions })),
  );
  vi.mocked(Query).mockImplementation(
    Object(function FakeQuery() {
      return { first: answer(records) };
    }),
  );
}

const read = () =>
  readCompletedSteps(
    { wallet: { address: OWN, chain: "0x7a69" }, since: SINCE },
    { signal: new AbortController().signal },
  );

afterEach(() => vi.clearAllMocks());

it("readCompletedSteps() finds coins that the wallet has sent since its user was created, and records", async () => {
  answerWith([sent], { id: "n1" });
  expect(await read()).toEqual({ hasSentCoins: true, hasRecords: true });
  expect(vi.mocked(Web3API.account.getTransactions).mock.calls[0]?.[0]).toMatchObject({
    address: OWN,
    from_date: "2026-11-20T10:00:00.000Z",
  });
});

it.each<[string, Partial<Sent>]>([
  ["received coins", { from_address: OTHER, to_address: OWN }],
  ["coins sent to itself", { to_address: OWN }],
  ["a call without coins", { value: "0" }],
  ["a deployment", { to_address: null }],
  ["a reverted transaction", { receipt_status: "0" }],
])("readCompletedSteps() does not count %s as sent coins", async (_what, change) => {
  answerWith([{ ...sent, ...change }], undefined);
  expect(await read()).toEqual({ hasSentCoins: false, hasRecords: false });
});

it("readCompletedSteps() asks no chain without a wallet", async () => {
  answerWith(new Error("not asked"), undefined);
  const steps = await readCompletedSteps(
    { wallet: undefined, since: SINCE },
    { signal: new AbortController().signal },
  );
  expect(steps.hasSentCoins).toBe(false);
  expect(vi.mocked(Web3API.account.getTransactions)).not.toHaveBeenCalled();
});

it("readCompletedSteps() leaves a step unknown if its read fails", async () => {
  answerWith(new Error("no node"), { id: "n1" });
  expect(await read()).toEqual({ hasSentCoins: undefined, hasRecords: true });
  answerWith([sent], new Error("no access"));
  expect(await read()).toEqual({ hasSentCoins: true, hasRecords: undefined });
});
