import type { JsonObject } from "@purse/protocol";
import { useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { Combobox, prefixPattern, type RowsQuery } from "../../components/Combobox.tsx";
import { objectField, stringField } from "../../components/fields.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";

export interface DeviceComboboxProps {
  label: string;
  hint?: ReactNode;
  /** The objectId of an installation; empty for none. */
  value: string;
  onChange: (objectId: string) => void;
}

/** Chooses a device that can be sent to, by its type, its app or its id. */
export function DeviceCombobox(props: DeviceComboboxProps) {
  const { t } = useTranslation();
  const { value } = props;
  const chosen = useStudioQuery(
    "/data/:className",
    { className: "_Installation", where: { objectId: value }, include: "user", limit: 1 },
    { enabled: value !== "" },
  );
  const row = chosen.data?.results[0];
  return (
    <Combobox
      {...props}
      placeholder={t("Choose a device")}
      displayValue={row ? deviceName(row) : value}
      className="_Installation"
      buildQuery={deviceQuery}
      toOption={(found) => ({
        key: stringField(found, "objectId"),
        label: deviceName(found),
        description: stringField(found, "objectId"),
      })}
    />
  );
}

/** Devices with a token, the last seen first. */
function deviceQuery(text: string): RowsQuery {
  const reachable: JsonObject = { deviceToken: { $exists: true } };
  const starts = { $regex: prefixPattern(text), $options: "i" };
  const where: JsonObject =
    text === ""
      ? reachable
      : {
          ...reachable,
          $or: [
            { objectId: text },
            { installationId: starts },
            { deviceType: starts },
            { appName: starts },
            { localeIdentifier: starts },
          ],
        };
  return { where, order: "-updatedAt", include: "user" };
}

/** What tells a device from others: user, type, app, language. */
function deviceName(row: JsonObject): string {
  const user = stringField(objectField(row, "user") ?? {}, "username");
  const app = [stringField(row, "appName"), stringField(row, "appVersion")].filter(Boolean).join(" ");
  const parts = [user, stringField(row, "deviceType"), app, stringField(row, "localeIdentifier")];
  return parts.filter(Boolean).join(" · ") || stringField(row, "objectId");
}
