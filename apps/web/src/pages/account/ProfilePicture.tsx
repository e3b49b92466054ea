import { ParseFile, type User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, ErrorState, useAction, useToast, useTranslation } from "@purse/ui";
import { useRef } from "react";
import { stringField } from "../../components/stringField.ts";
import { pictureUrl, UserPicture } from "../../wallet/UserPicture.tsx";
import { squarePicture } from "./squarePicture.ts";

/** Shows, changes and removes the picture of the user. It is saved at once. */
export function ProfilePicture({ user }: { user: User }) {
  const { t } = useTranslation();
  const { setUserData } = useMoralis();
  const toast = useToast();
  const input = useRef<HTMLInputElement>(null);
  const hasPicture = pictureUrl(user) !== undefined;
  const change = useAction(async (chosen: File | undefined) => {
    if (!chosen) {
      user.unset("picture");
      await setUserData({}, { throwOnError: true });
      toast(t("Picture removed"));
      return;
    }
    const data = await squarePicture(chosen);
    // Browsers that cannot encode WebP encode PNG.
    const extension = data.type === "image/webp" ? "webp" : "png";
    const picture = await new ParseFile(`picture.${extension}`, data, data.type).save();
    await setUserData({ picture }, { throwOnError: true });
    toast(t("Picture saved"));
  });
  return (
    <div className="stack tight">
      <div className="row">
        <UserPicture user={user} address={stringField(user.get("ethAddress")) || (user.id ?? "")} size={64} />
        <Button busy={change.busy} onClick={() => input.current?.click()}>
          {hasPicture ? t("Change picture") : t("Choose a picture")}
        </Button>
        {hasPicture && (
          <Button variant="quiet" busy={change.busy} onClick={() => change.run(undefined)}>
            {t("Remove picture")}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            // The same file can be chosen again after an error.
            currentTarget.value = "";
            if (chosen) change.run(chosen);
          }}
        />
      </div>
      <p className="small soft">{t("Cut to a square, without its metadata. Visible to everyone.")}</p>
      {change.error !== undefined && <ErrorState error={change.error} />}
    </div>
  );
}
