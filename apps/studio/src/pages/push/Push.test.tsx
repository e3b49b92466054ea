import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openPage, type Responses } from "../../../test/openPage.tsx";
import { Push } from "./Push.tsx";

beforeEach(() => sessionStorage.clear());

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PHONE = { objectId: "i1", deviceType: "ios", appName: "Shop", appVersion: "2.1", deviceToken: "t" };
const RESPONSES: Responses = {
  "GET /push/audience": { installations: 3, reachable: 2 },
  "GET /push/history": { results: [] },
  "GET /data/_Installation": { results: [PHONE] },
  "POST /push/test": { pushStatusId: "p1" },
};

it("Push shows one message with the position for an audience query that is not JSON", async () => {
  await openPage(Push, RESPONSES);
  const query = await screen.findByLabelText("Audience query (_Installation)");
  await screen.findByText(/3 devices/);
  fireEvent.change(query, { target: { value: '{\n  deviceType: "ios" }' } });
  expect((await screen.findByRole("alert")).textContent).toBe("Invalid JSON at line 2, column 3.");
  expect(screen.queryAllByText(/JSON/)).toHaveLength(1);
  expect(screen.queryByText(/3 devices/)).toBeNull();
});

it("Push sends a test to a device that is chosen from a list", async () => {
  const { sent } = await openPage(Push, RESPONSES);
  fireEvent.change(await screen.findByLabelText("Message"), { target: { value: "Hello" } });
  const send = screen.getByRole("button", { name: "Send test" });
  expect(send).toHaveProperty("disabled", true);
  fireEvent.focus(screen.getByRole("combobox", { name: "Test device" }));
  fireEvent.click(await screen.findByRole("option", { name: /ios · Shop 2.1/ }));
  await expect.poll(() => send).toHaveProperty("disabled", false);
  fireEvent.click(send);
  await expect
    .poll(() => sent)
    .toEqual([{ request: "POST /push/test", body: { installation: "i1", data: { alert: "Hello" } } }]);
});
