import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { AddressForm } from "./AddressForm.tsx";

const ADDRESS = `0x${"a".repeat(40)}`;
const { navigate, lookups } = vi.hoisted(() => ({
  navigate: vi.fn(async (_: object) => undefined),
  lookups: [] as PromiseWithResolvers<string | null>[],
}));

vi.mock("@tanstack/react-router", () => ({ useNavigate: () => navigate }));
vi.mock("../../wallet/batchCall.ts", () => ({
  async callFunction() {
    const lookup = Promise.withResolvers<string | null>();
    lookups.push(lookup);
    return { address: await lookup.promise };
  },
}));
afterEach(() => {
  cleanup();
  navigate.mockClear();
  lookups.length = 0;
});

/** Submits a text. */
function view(text: string) {
  const input = screen.getByLabelText("Address to view");
  fireEvent.change(input, { target: { value: text } });
  fireEvent.submit(input);
}

it("AddressForm opens the address of a name, and says why a text has none", async () => {
  render(<AddressForm />);
  view("ada");
  expect((await screen.findByRole("alert")).textContent).toMatch(/^Invalid address/);
  view("nobody.eth");
  await act(async () => lookups[0]?.resolve(null));
  expect((await screen.findByRole("alert")).textContent).toBe("This name does not resolve to an address.");
  view("busy.eth");
  await act(async () => lookups[1]?.reject(new Error("The node is busy.")));
  expect((await screen.findByRole("alert")).textContent).toMatch(/^This name could not be resolved/);
  expect(navigate).not.toHaveBeenCalled();
  view("ada.eth");
  await act(async () => lookups[2]?.resolve(ADDRESS));
  await expect.poll(() => navigate.mock.calls.length).toBe(1);
  expect(screen.queryByRole("alert")).toBeNull();
});

it("AddressForm does not leave the page that the user has opened while a name was looked up", async () => {
  const { unmount } = render(<AddressForm />);
  view("ada.eth");
  await expect.poll(() => lookups.length).toBe(1);
  unmount();
  await act(async () => lookups[0]?.resolve(ADDRESS));
  expect(navigate).not.toHaveBeenCalled();
});
