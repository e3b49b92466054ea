import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { StudioContext } from "../../StudioContext.tsx";
import { ChartDialog } from "./ChartDialog.tsx";
import { type ChartConfig, DEFAULT_CHART } from "./chart.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const COLUMNS = [
  { name: "objectId", type: "String" },
  { name: "createdAt", type: "Date" },
  { name: "price", type: "Number" },
  { name: "city", type: "String" },
] as const;

const saved: string[] = [];

/** Renders a chart of these points; returns the URLs that were read. */
function open(chart: ChartConfig, points: { key: string | null; value: number | null }[], isCapped = false) {
  const urls: URL[] = [];
  saved.length = 0;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  vi.stubGlobal("fetch", async (url: string) => {
    urls.push(new URL(url, "http://localhost"));
    return Response.json({ points, isCapped });
  });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ChartDialog
          className="Sale"
          columns={COLUMNS}
          where={{ price: { $gt: 1 } }}
          chart={chart}
          onChange={() => undefined}
          onSave={(name) => saved.push(name)}
          onClose={() => undefined}
        />
      </QueryClientProvider>
    </StudioContext>,
  );
  return urls;
}

it("ChartDialog shows groups as bars with their values, and that there are more", async () => {
  const points = [
    { key: "To", value: 1200.5 },
    { key: null, value: 3 },
  ];
  const urls = open({ ...DEFAULT_CHART, fn: "sum", field: "price", by: "city" }, points, true);
  expect(await screen.findByRole("row", { name: /To.*1,200.5/ })).toBeTruthy();
  expect(screen.getByRole("row", { name: /\(empty\).*3/ })).toBeTruthy();
  expect(screen.getByText("Only the 50 highest values are shown.")).toBeTruthy();
  const params = urls.at(-1)?.searchParams;
  expect(params?.get("fn")).toBe("sum");
  expect(params?.get("where")).toBe('{"price":{"$gt":1}}');
  expect(params?.has("interval")).toBe(false);
  fireEvent.change(screen.getByLabelText("Save as view"), { target: { value: " by city " } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(saved).toEqual(["by city"]);
});

it("ChartDialog shows times as a line, with 0 where no rows are", async () => {
  open(DEFAULT_CHART, [
    { key: "2026-01-01", value: 4 },
    { key: "2026-01-03", value: 2 },
  ]);
  const line = await screen.findByRole("slider", { name: "Number of rows · createdAt" });
  expect(line.getAttribute("aria-valuemax")).toBe("2");
  // Days have no time, whatever the time zone of the browser.
  expect(line.getAttribute("aria-valuetext")).toBe("2, Jan 3, 2026");
});

it("ChartDialog shows times as bars with the names of months, and counts without lines between integers", async () => {
  open({ ...DEFAULT_CHART, interval: "month", shape: "bar" }, [
    { key: "2026-01", value: 4 },
    { key: "2026-02", value: 2 },
  ]);
  expect(await screen.findByRole("row", { name: /January 2026.*4/ })).toBeTruthy();
  cleanup();
  open(DEFAULT_CHART, [
    { key: "2026-01-01", value: 0 },
    { key: "2026-01-03", value: 1 },
  ]);
  await screen.findByRole("slider");
  const labels = [...document.querySelectorAll(".chart-grid + .chart-text")].map((each) => each.textContent);
  expect(labels).toEqual(["0", "1"]);
});

it("ChartDialog shows hours in UTC, the last ones if there are too many", async () => {
  vi.stubEnv("TZ", "America/New_York");
  open({ ...DEFAULT_CHART, interval: "hour" }, [
    { key: "2025-01-01T00", value: 4 },
    { key: "2026-01-01T03", value: 2 },
  ]);
  const line = await screen.findByRole("slider");
  expect(line.getAttribute("aria-valuetext")).toMatch(/^2, Jan 1, 2026, 3:00/);
  expect(screen.getByText(/^Earlier times are not shown/)).toBeTruthy();
});

it("ChartDialog counts by time if the class lacks the fields of the chart", async () => {
  const urls = open({ ...DEFAULT_CHART, fn: "max", field: "gone", by: "gone" }, []);
  expect(await screen.findByText("No rows match the filters")).toBeTruthy();
  const params = urls.at(-1)?.searchParams;
  expect([params?.get("field"), params?.get("by")]).toEqual(["price", "createdAt"]);
});
