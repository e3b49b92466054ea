import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { StudioContext } from "../../StudioContext.tsx";
import { ImportRows } from "./ImportRows.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Renders the dialog; returns the requests that it has sent. */
function open(className?: string) {
  const sent: { request: string; body: Record<string, unknown> }[] = [];
  const imported: string[] = [];
  vi.stubGlobal("fetch", async (url: string, options?: RequestInit) => {
    const body = JSON.parse(String(options?.body));
    sent.push({ request: `${options?.method} ${url.replace(/^.*\/studio\/api/, "")}`, body });
    const failed = {
      failed: 1,
      failedRows: [2],
      reasons: ["no number"],
      errorFile: "Unit price,error\nx,no number\n",
    };
    return Response.json(url.endsWith("/import") ? { imported: 2, ...failed } : {});
  });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={new QueryClient()}>
        <ImportRows
          {...(className !== undefined && { className })}
          columns={
            className === undefined
              ? []
              : [{ name: "name", type: "String", width: 1, isPinned: false, isHidden: false }]
          }
          onDone={() => undefined}
          onClose={() => undefined}
          onImported={(name) => imported.push(name)}
        />
      </QueryClientProvider>
    </StudioContext>,
  );
  const text = 'Name,Unit price\n"a\nb",1\nc,x\n';
  fireEvent.change(screen.getByRole("textbox", { name: "Or paste data" }), { target: { value: text } });
  return { sent, imported };
}

it("ImportRows creates a class with the fields of the file, and shows the lines of rejected rows", async () => {
  const { sent, imported } = open();
  const name = await screen.findByLabelText("Class name");
  expect(screen.getByRole("button", { name: "Create class and validate" })).toHaveProperty("disabled", false);
  fireEvent.change(name, { target: { value: "_Bad" } });
  expect(screen.getByRole("button", { name: "Create class and validate" })).toHaveProperty("disabled", true);
  fireEvent.change(name, { target: { value: "Price" } });
  fireEvent.click(screen.getByRole("button", { name: "Create class and validate" }));
  expect(await screen.findByText("2 rows are valid")).toBeTruthy();
  expect(screen.getByText("Line 4: no number")).toBeTruthy();
  expect(sent).toMatchObject([
    {
      request: "POST /schema/classes/Price",
      // Clients can't access it in any environment, as the dialog says.
      body: {
        edit: { fields: { name: { type: "String" }, unitPrice: { type: "String" } }, access: "closed" },
      },
    },
    {
      request: "POST /data/Price/import",
      body: { dryRun: true, mapping: { Name: "name", "Unit price": "unitPrice" } },
    },
  ]);
  // The class exists: the name of another file does not change it, nor do objectIds change the mapping.
  const file = new File(["Name,Unit price,objectId\na,1,x1\nb,2,x2\n"], "others.csv");
  fireEvent.change(screen.getByLabelText("File"), { target: { files: [file] } });
  fireEvent.click(await screen.findByRole("button", { name: "Validate" }));
  const mapping = { Name: "name", "Unit price": "unitPrice", objectId: null };
  const request = "POST /data/Price/import";
  await expect.poll(() => sent.at(-1)).toMatchObject({ request, body: { keepIds: false, mapping } });
  await screen.findByRole("button", { name: "Import 2 rows" });
  fireEvent.click(screen.getByText(/^Keep objectIds/));
  fireEvent.click(await screen.findByRole("button", { name: "Validate" }));
  const withIds = { keepIds: true, mapping: { ...mapping, objectId: "objectId" } };
  await expect.poll(() => sent.at(-1)).toMatchObject({ request, body: withIds });
  await screen.findByRole("button", { name: "Import 2 rows" });
  fireEvent.click(screen.getByRole("button", { name: "Import 2 rows" }));
  expect(await screen.findByText("2 rows imported")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(sent.at(-1)).toMatchObject({ request: "POST /data/Price/import", body: { dryRun: false } });
  expect(imported).toEqual(["Price"]);
});

it("ImportRows only maps columns to existing fields until a new one is chosen", async () => {
  const { sent } = open("Order");
  fireEvent.click(await screen.findByRole("button", { name: "Validate" }));
  expect(await screen.findByText("2 rows are valid")).toBeTruthy();
  expect(sent).toMatchObject([{ body: { mapping: { Name: "name", "Unit price": null } } }]);
});

it("ImportRows shows how it reads a file, and reads it otherwise on request", async () => {
  const { sent } = open("Order");
  const bytes = Uint8Array.from([..."Name;Price\nT\xe9e;1,500\n"].map((letter) => letter.charCodeAt(0)));
  fireEvent.change(screen.getByLabelText("File"), { target: { files: [new File([bytes], "a.csv")] } });
  expect((await screen.findByRole("combobox", { name: "Delimiter" })).textContent).toBe("Semicolon");
  expect(screen.getByRole("combobox", { name: "Encoding" }).textContent).toBe("WINDOWS-1252");
  expect(screen.getByText("Tée")).toBeTruthy();
  expect(screen.getByText(/Times without a zone are in UTC/)).toBeTruthy();
  const decimal = screen.getByRole("combobox", { name: "Decimal separator" });
  expect(decimal.textContent).toBe("Point");
  fireEvent.click(decimal);
  const comma = await screen.findByRole("option", { name: "Comma" });
  fireEvent.pointerDown(comma, { pointerType: "mouse" });
  fireEvent.click(comma);
  await expect.poll(() => decimal.textContent).toBe("Comma");
  fireEvent.click(screen.getByRole("button", { name: "Validate" }));
  await expect.poll(() => sent).toMatchObject([{ body: { delimiter: ",", decimal: "," } }]);
});

it("ImportRows shows the lines in which a file is not well-formed, and imports nothing of it", async () => {
  const { sent } = open("Order");
  const file = new File(['name,n\nTea,1\n"Cake,5\n'], "a.csv");
  fireEvent.change(screen.getByLabelText("File"), { target: { files: [file] } });
  expect((await screen.findByRole("alert")).textContent).toBe("Line 3: a quote is opened and never closed.");
  expect(screen.getByRole("button", { name: "Validate" })).toHaveProperty("disabled", true);
  expect(sent).toEqual([]);
});

it("ImportRows takes a dropped file, shows rows and percent, and cancels after the current batch", async () => {
  open("Order");
  const file = new File([`name\n${"Tea\n".repeat(1_000)}`], "dropped.csv");
  const zone = screen.getByText("or drop a file here").closest(".file-input");
  if (!zone) throw new Error("There is no drop zone.");
  fireEvent.drop(zone, { dataTransfer: { files: [file] } });
  expect(await screen.findByText("dropped.csv", { selector: ".file-input bdi" })).toBeTruthy();
  fireEvent.click(await screen.findByRole("button", { name: "Validate" }));
  const start = await screen.findByRole("button", { name: "Import 8 rows" });
  const resume: (() => void)[] = [];
  const answer = { imported: 250, failed: 0, failedRows: [], reasons: [], errorFile: "" };
  vi.stubGlobal("fetch", async () => {
    await new Promise<void>((resolve) => resume.push(resolve));
    return Response.json(answer);
  });
  fireEvent.click(start);
  await expect.poll(() => resume.length).toBe(1);
  resume[0]?.();
  expect(await screen.findByText("Importing: 250 of 1,000")).toBeTruthy();
  expect(screen.getByText("25%")).toBeTruthy();
  await expect.poll(() => resume.length).toBe(2);
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByText("Stopping…")).toBeTruthy();
  resume[1]?.();
  expect(await screen.findByText("500 rows were not imported")).toBeTruthy();
  expect(screen.getByText("You canceled the import.")).toBeTruthy();
  expect(resume).toHaveLength(2);
});
