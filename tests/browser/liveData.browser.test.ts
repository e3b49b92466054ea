import { describe, it } from "vitest";
import { expectNoErrors } from "../support/browser.ts";
import { hostSite } from "../support/site.ts";
import { serveAppBy } from "../support/webApp.ts";

const app = serveAppBy(hostSite);

describe("live data", () => {
  it("created, changed and deleted in one window appears in that of another user", async () => {
    const [writer, reader] = await Promise.all([
      app.openAs("writer", "/data"),
      app.openAs("reader", "/data"),
    ]);
    await reader.page.getByText("No records yet").waitFor();
    await writer.page.getByRole("button", { name: "New record" }).click();
    await writer.page.getByLabel("text", { exact: true }).fill("First light");
    await writer.page.getByRole("button", { name: "Create" }).click();
    await reader.page.getByRole("button", { name: "First light", exact: true }).waitFor();
    await writer.page.getByRole("checkbox", { name: "done: First light" }).click();
    await reader.page.getByRole("checkbox", { checked: true }).waitFor();
    await writer.page.getByRole("button", { name: "Delete First light" }).click();
    await reader.page.getByText("No records yet").waitFor();
    expectNoErrors(writer);
    expectNoErrors(reader);
  });
});
