import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("rows in the studio on %s", (database) => {
  let purse: Purse;
  let editor: StudioClient;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    editor = await addOperator(await setUpStudio(purse), "edith", "editor");
  });
  afterAll(() => purse?.remove());

  async function fill(className: string, rows: JsonObject[]): Promise<void> {
    const requests = rows.map((body) => ({ method: "POST", path: `/server/classes/${className}`, body }));
    await rest(purse, "POST", "/batch", { requests }, MASTER);
  }

  async function pages(path: string, params: Record<string, unknown>): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    for (let after: unknown = ""; after !== undefined; ) {
      const { status, body, text } = await editor.request(
        "GET",
        `${path}${query({ ...params, ...(after !== "" && { after }) })}`,
      );
      expect(status, text).toBe(200);
      rows.push(...JSON.parse(JSON.stringify(body.results)));
      after = body.next;
    }
    return rows;
  }

  it("are paginated in any order, each once, with missing values in database order", async () => {
    await fill(
      "Page",
      Array.from({ length: 23 }, (_, i) => ({
        ...(i % 4 !== 0 && { score: i % 3 }),
        name: ["a", "B", "ä", "b", "A"][i % 5] ?? "",
        flag: i % 2 === 0,
        at: { __type: "Date", iso: new Date(1_000_000 * (i % 7)).toISOString() },
      })),
    );
    for (const order of [
      "",
      "score",
      "-score",
      "name,-score",
      "-at,name",
      "createdAt",
      "-createdAt",
      "flag,score",
      "-objectId",
    ]) {
      const all = (await editor.request("GET", `/data/Page${query({ order, limit: 1000 })}`)).body.results;
      const paged = await pages("/data/Page", { order, limit: 5 });
      expect(paged, order).toEqual(all);
      expect(new Set(paged.map(({ objectId }) => objectId)).size, order).toBe(23);
    }
  });

  it("are not shifted by new rows", async () => {
    await fill(
      "Shift",
      Array.from({ length: 10 }, (_, i) => ({ n: i * 10 })),
    );
    const first = await editor.request("GET", `/data/Shift${query({ order: "n", limit: 5 })}`);
    await fill("Shift", [{ n: 5 }, { n: 15 }]);
    const second = await editor.request(
      "GET",
      `/data/Shift${query({ order: "n", limit: 5, after: first.body.next })}`,
    );
    const numbers = Object.values(second.body.results ?? []).map((row) => Object(row).n);
    expect(numbers).toEqual([50, 60, 70, 80, 90]);
    for (const after of ["x", "bnVsbA", Buffer.from('[{"$gt":""}]').toString("base64url")]) {
      expect((await editor.request("GET", `/data/Shift${query({ order: "n", after })}`)).status).toBe(400);
    }
  });

  it("are counted up to a cap, or exactly on request, with a filter and as a user", async () => {
    const { id } = await signUp(purse);
    await fill("Counted", [
      ...Array.from({ length: 6 }, (_, n) => ({ n })),
      { n: 100, ACL: { [id]: { read: true } } },
      { n: 101, ACL: {} },
    ]);
    const count = async (params: Record<string, unknown>) =>
      (await editor.request("GET", `/data/Counted/count${query(params)}`)).body;
    expect(await count({})).toEqual({ count: 8, isCapped: false });
    expect(await count({ cap: 5 })).toEqual({ count: 5, isCapped: true });
    expect(await count({ exact: true, where: { n: { $gte: 3 } } })).toEqual({ count: 5, isCapped: false });
    expect(await count({ as: id })).toEqual({ count: 7, isCapped: false });
    expect(await count({ as: "anonymous" })).toEqual({ count: 6, isCapped: false });
    const rows = await pages("/data/Counted", { as: id, order: "n", limit: 3 });
    expect(rows.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 100]);
    expect((await editor.request("GET", "/data/Counted?as=nobody")).status).toBe(404);
  });

  it("changed by someone else return a conflict with the current row, also for concurrent changes", async () => {
    const { body: row } = await editor.request("POST", "/data/Page/rows", { fields: { score: 1 } });
    const path = `/data/Page/rows/${row.objectId}`;
    const expectedUpdatedAt = row.updatedAt;
    // The change gets a later time.
    await expect.poll(Date.now, { interval: 1 }).toBeGreaterThan(Date.parse(String(expectedUpdatedAt)));
    const both = await Promise.all(
      [2, 3].map((score) => editor.request("PUT", path, { fields: { score }, expectedUpdatedAt })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [won, lost] = both[0]?.status === 200 ? both : [both[1], both[0]];
    expect(lost?.body.current).toEqual(won?.body);
    const again = await editor.request("PUT", path, {
      fields: { score: 9 },
      expectedUpdatedAt: won?.body.updatedAt,
    });
    expect(again).toMatchObject({ status: 200, body: { score: 9 } });
    expect((await editor.request("PUT", path, { fields: { score: "text" } })).body.code).toBe(111);
    expect((await editor.request("DELETE", path)).status).toBe(200);
    expect((await editor.request("GET", path)).status).toBe(404);
  });

  it("are changed in bulk after a dry run, and not if the matches have changed since", async () => {
    await fill(
      "Bulk",
      Array.from({ length: 120 }, (_, n) => ({ n })),
    );
    const where = { n: { $lt: 70 } };
    const dry = await editor.request("POST", "/data/Bulk/bulk", {
      action: "update",
      where,
      fields: { n: 500 },
      dryRun: true,
    });
    expect(dry.body).toEqual({ matched: 70, changed: 0, failed: [] });
    await fill("Bulk", [{ n: 1 }]);
    const late = await editor.request("POST", "/data/Bulk/bulk", {
      action: "delete",
      where,
      expectedCount: 70,
    });
    expect(late.status).toBe(409);
    const done = await editor.request("POST", "/data/Bulk/bulk", {
      action: "update",
      where,
      fields: { n: 500 },
      expectedCount: 71,
    });
    expect(done.body).toEqual({ matched: 71, changed: 71, failed: [] });
    const { body: kept } = await editor.request("POST", "/data/Bulk/rows", { fields: { n: 9 } });
    const named = { action: "delete", where: { n: 500 }, ids: [kept.objectId] };
    expect((await editor.request("POST", "/data/Bulk/bulk", named)).body).toMatchObject({
      matched: 0,
      changed: 0,
    });
    await editor.request("POST", "/data/Bulk/bulk", { action: "delete", ids: [kept.objectId] });
    const gone = await editor.request("POST", "/data/Bulk/bulk", { action: "delete", where: { n: 500 } });
    expect(gone.body).toMatchObject({ changed: 71 });
    expect((await editor.request("GET", "/data/Bulk/count")).body.count).toBe(50);
  });

  it("are exported as CSV and JSON and imported again, with a file of rejected rows", async () => {
    await fill("Moved", [
      {
        title: 'said "hi", twice\nand more',
        n: 1,
        ok: true,
        at: { __type: "Date", iso: "2026-01-02T03:04:05.000Z" },
      },
      { title: "=SUM(A1)", n: -2, list: [1, "b"] },
    ]);
    const { text: csv, headers } = await editor.request("GET", "/data/Moved/export?format=csv");
    expect(headers.get("content-disposition")).toBe('attachment; filename="Moved.csv"');
    expect(csv).toContain("'=SUM(A1)");
    const mapping = { objectId: null, createdAt: null, updatedAt: null, ACL: null };
    const dry = await editor.request("POST", "/data/Moved/import", {
      format: "csv",
      text: csv,
      mapping,
      dryRun: true,
    });
    expect(dry.body).toMatchObject({ imported: 2, failed: 0 });
    const bad = `${csv},,,,"bad",not a number,,,\r\n`;
    const { body } = await editor.request("POST", "/data/Moved/import", {
      format: "csv",
      text: bad,
      mapping,
    });
    expect(body).toMatchObject({ imported: 2, failed: 1, failedRows: [3] });
    expect(String(body.errorFile).trim().split("\r\n")).toHaveLength(2);
    const { text } = await editor.request("GET", "/data/Moved/export?format=json");
    const rows: JsonObject[] = JSON.parse(text);
    expect(rows).toHaveLength(4);
    const same = rows
      .map(({ objectId: _, createdAt: _c, updatedAt: _u, ...fields }) => JSON.stringify(fields))
      .sort();
    expect(same[0]).toBe(same[1]);
    const typed = await editor.request("POST", "/data/Moved/import", {
      format: "json",
      text: '[{"title":"x"},{"n":"y"},{"title":{"__op":"Nonsense"}}]',
      dryRun: true,
    });
    expect(typed.body).toMatchObject({ imported: 1, failed: 2 });
    const lines = await editor.request("POST", "/data/Moved/import", {
      format: "json",
      text: '{"title":"x"}\n{"n":"y"}\n',
    });
    expect(lines.body).toMatchObject({
      imported: 1,
      failed: 1,
      errorFile: expect.stringContaining("schema mismatch"),
    });
  });

  it("are imported with the delimiter and the decimal separator of the file, and keep null and empty texts", async () => {
    await fill("Traded", [{ name: "x", price: 1, day: { __type: "Date", iso: "2024-01-01T00:00:00.000Z" } }]);
    const german = "Name ;price; day\nTea;1,5;2024-02-29\nCake;2,25;2024-02-29 10:00\n";
    const input = { format: "csv", text: german, decimal: ",", mapping: { Name: "name" } };
    expect((await editor.request("POST", "/data/Traded/import", input)).body).toMatchObject({
      imported: 2,
      failed: 0,
    });
    const nulls = 'name,price,day\r\n"",\\N,\r\n,1,\\N\r\n\\N,2,\r\n"\\N",3,\r\n';
    await editor.request("POST", "/data/Traded/import", { format: "csv", text: nulls });
    const { text: csv } = await editor.request("GET", "/data/Traded/export?format=csv&keys=name,price,day");
    await editor.request("POST", "/data/Traded/import", { format: "csv", text: csv });
    const { text } = await editor.request("GET", "/data/Traded/export?format=json");
    const rows: JsonObject[] = JSON.parse(text);
    const shown = rows.map(({ name, price, day }) => JSON.stringify({ name, price, day })).sort();
    const expected = [
      { name: "x", price: 1, day: { __type: "Date", iso: "2024-01-01T00:00:00.000Z" } },
      { name: "Tea", price: 1.5, day: { __type: "Date", iso: "2024-02-29T00:00:00.000Z" } },
      { name: "Cake", price: 2.25, day: { __type: "Date", iso: "2024-02-29T10:00:00.000Z" } },
      { name: "", price: null },
      { price: 1, day: null },
      { name: null, price: 2 },
      { name: "\\N", price: 3 },
    ].map((each) => JSON.stringify(each));
    expect(shown).toEqual([...expected, ...expected].sort());
  });

  it("are not imported from a file that is not well-formed, and each bad row has a reason", async () => {
    await fill("Strict", [{ name: "x", n: 1, at: { __type: "Date", iso: "2024-01-01T00:00:00.000Z" } }]);
    const importText = (text: string, format = "csv") =>
      editor.request("POST", "/data/Strict/import", { format, text });
    for (const [text, reason] of [
      ['name,n\nTea,1\n"Cake,5\nX,1\n', "line 3: a quote is opened and never closed"],
      ["name,n, n\nTea,1,2\n", "line 1: two columns are named n"],
      ["name,\nTea,2\n", "line 1: column 2 has no name"],
      ["PNG\u0000\u0001,n\nTea,2\n", "line 1: a control character"],
    ] as const) {
      expect(await importText(text)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(reason) },
      });
    }
    const rows = [
      "Tea,1,2024-02-30",
      "Tea,0x10,",
      "Tea,1,,more",
      "Tea",
      "Tea,1,02/03/2024",
      "Cake,5,2024-02-29",
    ];
    const { body } = await importText(`name,n,at\n${rows.join("\n")}\n`);
    expect(body).toMatchObject({
      imported: 1,
      failed: 5,
      failedRows: [1, 2, 3, 4, 5],
      reasons: [
        expect.stringMatching(/^at: "2024-02-30" is a date that does not exist/),
        'n: "0x10" is not a number',
        "the row has 4 cells, and the header 3 columns",
        "the row has 1 cells, and the header 3 columns",
        expect.stringMatching(/^at: "02\/03\/2024" is ambiguous/),
      ],
    });
    expect(String(body.errorFile).split("\r\n")[0]).toBe("name,n,at,_error");
    const json = await importText('[{"at":{"__type":"Date","iso":"2024-02-30"}}]', "json");
    expect(json.body).toMatchObject({ imported: 0, reasons: ["This is not a valid Date: at (2024-02-30)"] });
    expect((await editor.request("GET", "/data/Strict/count")).body.count).toBe(2);
  });

  it("keep their objectIds on import if requested, and get new ones otherwise", async () => {
    const importRows = (keepIds: boolean, objectId: string) =>
      editor.request("POST", "/data/Kept/import", {
        format: "json",
        text: JSON.stringify([{ objectId, n: 1 }]),
        keepIds,
      });
    await fill("Kept", [{ n: 0 }]);
    expect((await importRows(true, "keptRow001")).body).toMatchObject({ imported: 1, failed: 0 });
    expect((await importRows(true, "keptRow001")).body).toMatchObject({ imported: 0, failed: 1 });
    expect((await importRows(false, "keptRow002")).body).toMatchObject({ imported: 1, failed: 0 });
    const { text } = await editor.request("GET", "/data/Kept/export?format=json");
    const ids: string[] = JSON.parse(text).map(({ objectId }: { objectId: string }) => objectId);
    expect(ids).toHaveLength(3);
    expect(ids).toContain("keptRow001");
    expect(ids).not.toContain("keptRow002");
  });

  it("accept files that were uploaded for them", async () => {
    const upload = (base64: string) =>
      editor.request("POST", "/files", { name: "menu.txt", base64, contentType: "text/plain" });
    const { status, body } = await upload(Buffer.from("Espresso").toString("base64"));
    expect(status).toBe(201);
    expect(await (await fetch(String(body.url))).text()).toBe("Espresso");
    const menu = { __type: "File", name: String(body.name) };
    const row = await editor.request("POST", "/data/Menu/rows", { fields: { menu } });
    expect(row.status).toBe(404);
    await fill("Menu", [{ menu }]);
    expect((await editor.request("GET", "/data/Menu")).body.results).toMatchObject([
      { menu: { url: body.url } },
    ]);
    for (const bad of ["", "%%", "a\n"]) expect((await upload(bad)).status).toBe(400);
  });

  it("are explained with a query plan and a suggested index", async () => {
    const params = { where: { $and: [{ name: "a" }, { score: { $gt: 1 } }] }, order: "-at" };
    const { body } = await editor.request("GET", `/data/Page/explain${query(params)}`);
    expect(body.plan).toBeTruthy();
    expect(body.suggestedIndex).toEqual({ name: "name_at", fields: { name: 1, at: -1 } });
    const edit = { indexes: { name_at: { name: 1, at: -1 } } };
    expect((await editor.request("PUT", "/schema/classes/Page", { edit })).status).toBe(200);
    expect(
      (await editor.request("GET", `/data/Page/explain${query(params)}`)).body.suggestedIndex,
    ).toBeUndefined();
  });

  it("are aggregated by time and by the values of a field, for charts", async () => {
    const chart = (params: JsonObject) => editor.request("GET", `/data/Page/chart${query(params)}`);
    expect((await chart({ by: "at", interval: "hour" })).body).toEqual({
      points: [
        { key: "1970-01-01T00", value: 14 },
        { key: "1970-01-01T01", value: 9 },
      ],
      isCapped: false,
    });
    const last = await chart({ by: "at", interval: "hour", limit: 1 });
    expect(last.body).toEqual({ points: [{ key: "1970-01-01T01", value: 9 }], isCapped: true });
    const sums = await chart({ fn: "sum", field: "score", by: "flag", where: { name: "a" } });
    const points = JSON.parse(JSON.stringify(sums.body.points));
    expect(points).toHaveLength(2);
    expect(points[0].value).toBeGreaterThanOrEqual(points[1].value);
    expect((await chart({ fn: "max", field: "score", by: "name", limit: 2 })).body).toMatchObject({
      points: [{ value: 2 }, { value: 2 }],
      isCapped: true,
    });
    const rejected = [
      [{ fn: "sum", field: "name" }, "field must be"],
      [{ by: "ACL" }, "by must be"],
      [{ by: "constructor" }, "by must be"],
      [{ where: { at: { $gt: "x" } }, fn: "median" }, "fn"],
    ] as const;
    for (const [params, error] of rejected) {
      expect((await chart(params)).body.error).toContain(error);
    }
  });

  it("are reported live as they enter a filter, change and leave it", async () => {
    await fill("Live", [{ n: 0 }]);
    const leave = new AbortController();
    const response = await fetch(
      `${purse.url}/studio/api/data/Live/live${query({ where: { n: { $gte: 10 } } })}`,
      {
        headers: { cookie: editor.cookie ?? "" },
        signal: leave.signal,
      },
    );
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    let delivered = "";
    const reading = (async () => {
      for await (const piece of response.body ?? []) delivered += new TextDecoder().decode(piece);
    })().catch(() => undefined);
    const until = (event: string) =>
      expect.poll(() => delivered, { timeout: 60_000 }).toContain(`event: ${event}`);
    await until("connected");
    const { body: row } = await editor.request("POST", "/data/Live/rows", { fields: { n: 10 } });
    await until("create");
    const put = (n: number) => editor.request("PUT", `/data/Live/rows/${row.objectId}`, { fields: { n } });
    await put(11);
    await until("update");
    await put(1);
    await until("leave");
    await put(12);
    await until("enter");
    await editor.request("DELETE", `/data/Live/rows/${row.objectId}`);
    await until("delete");
    leave.abort();
    await reading;
  });

  it("reject unknown classes, studio classes and invalid filters", async () => {
    for (const className of ["Nothing", "_StudioOperator", "__proto__", "a%2Fb", "%24"]) {
      expect((await editor.request("GET", `/data/${className}`)).status, className).toBe(404);
    }
    for (const where of ["[", '{"$where":"1"}', '{"__proto__":1}', '{"n":{"$bogus":1}}']) {
      expect(
        (await editor.request("GET", `/data/Live?where=${encodeURIComponent(where)}`)).status,
        where,
      ).toBe(400);
    }
  });
});
