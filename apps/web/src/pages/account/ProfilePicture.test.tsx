import { ParseFile, User } from "@purse/client";
import { ToastProvider } from "@purse/ui";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ProfilePicture } from "./ProfilePicture.tsx";

vi.mock("@purse/react", () => ({ useMoralis: () => ({ setUserData: async () => undefined }) }));
vi.mock("./squarePicture.ts", () => ({
  async squarePicture() {
    throw new Error("This file is not an image that your browser can read.");
  },
}));
afterEach(cleanup);

it("ProfilePicture no longer shows why a file was refused once the picture is removed", async () => {
  const user = new User();
  user.id = "u1";
  user.set(
    "picture",
    ParseFile.fromJSON({ __type: "File", name: "me.webp", url: "http://purse.test/me.webp" }),
  );
  render(
    <ToastProvider>
      <ProfilePicture user={user} />
    </ToastProvider>,
  );
  const input = document.querySelector("input[type=file]") ?? document.body;
  fireEvent.change(input, { target: { files: [new File(["no image"], "me.txt")] } });
  await screen.findByText(/This file is not an image/);
  fireEvent.click(screen.getByRole("button", { name: "Remove picture" }));
  await screen.findByText("Picture removed");
  expect(screen.queryByText(/This file is not an image/)).toBeNull();
});
