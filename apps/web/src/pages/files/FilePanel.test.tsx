import { ParseObject } from "@purse/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { FilePanel } from "./FilePanel.tsx";
import type { StoredFile } from "./fileRecord.ts";

vi.mock("./Preview.tsx", () => ({ Preview: () => null }));
vi.mock("../../SettingsContext.tsx", () => ({
  useSettings: () => ({ serverUrl: "http://localhost:1337/server" }),
}));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A file that is not shared. */
function unsharedFile(cid?: string): StoredFile {
  return {
    record: new ParseObject("Upload"),
    id: "f1",
    name: "notes.txt",
    type: "text/plain",
    size: 11,
    url: undefined,
    sha256: "9f86d081884c7d65",
    cid,
    paths: [],
    metadata: {},
    tags: [],
    isShared: false,
  };
}

it("FilePanel says of a file on IPFS that it is public, although it is not listed", () => {
  vi.stubGlobal("fetch", async () => new Response());
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FilePanel file={unsharedFile("bafy1")} onClose={() => undefined} onChanged={() => undefined} />
    </QueryClientProvider>,
  );
  const visibility = within(screen.getByRole("region", { name: "Visibility" }));
  expect(visibility.getByText("Public on IPFS").closest(".status")?.getAttribute("data-kind")).toBe(
    "warning",
  );
  expect(visibility.getByRole("switch", { name: "List publicly" })).toBeTruthy();
  expect(
    visibility.getByText("Not listed. The file itself is public on IPFS to anyone with the CID."),
  ).toBeTruthy();
});

it("FilePanel names the hash of a file", () => {
  const file = unsharedFile();
  render(<FilePanel file={file} onClose={() => undefined} onChanged={() => undefined} />);
  expect(screen.getByText("SHA-256").closest(".visually-hidden")).toBeNull();
  expect(screen.getByRole("region", { name: "SHA-256" }).textContent).toBe("9f86d081884c7d65");
});
