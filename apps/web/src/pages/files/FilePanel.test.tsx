// @vitest-environment happy-dom
import { ParseObject } from "@purse/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { FilePanel } from "./FilePanel.tsx";

vi.mock("./Preview.tsx", () => ({ Preview: () => null }));

afterEach(cleanup);

it("FilePanel names the hash of a file", () => {
  const file = {
    record: new ParseObject("Upload"),
    id: "f1",
    name: "notes.txt",
    type: "text/plain",
    size: 11,
    url: undefined,
    sha256: "9f86d081884c7d65",
    cid: undefined,
    paths: [],
    metadata: {},
    tags: [],
    isShared: false,
  };
  render(<FilePanel file={file} onClose={() => undefined} onChanged={() => undefined} />);
  expect(screen.getByText("SHA-256").closest(".visually-hidden")).toBeNull();
  expect(screen.getByRole("region", { name: "SHA-256" }).textContent).toBe("9f86d081884c7d65");
});
