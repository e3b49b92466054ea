import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ShareButton } from "./ShareButton.tsx";

const FILE = new File(["png"], "qr.png", { type: "image/png" });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function shareOn(system: Partial<Pick<Navigator, "share" | "canShare">>): void {
  vi.stubGlobal("navigator", { ...system });
  render(<ShareButton label="address" content={() => ({ text: "0xabc", files: [FILE] })} />);
}

it("ShareButton is absent where the system has no dialog for sharing", () => {
  shareOn({});
  expect(screen.queryByRole("button")).toBeNull();
});

it.each([
  [true, { text: "0xabc", files: [FILE] }],
  [false, { text: "0xabc" }],
])("ShareButton shares the text, and files if the system takes them (%s)", async (takesFiles, expected) => {
  const share = vi.fn(async () => {
    throw new DOMException("closed", "AbortError");
  });
  shareOn({ share, canShare: () => takesFiles });
  fireEvent.click(screen.getByRole("button", { name: "Share address" }));
  expect(share).toHaveBeenCalledExactlyOnceWith(expected);
});
