import { ParseFile, type User } from "@purse/client";
import { Identicon } from "@purse/ui";
import { useState } from "react";

export interface UserPictureProps {
  user: User | null;
  /** Determines the icon of a user without a picture. */
  address: string;
  /** In pixels. */
  size: number;
}

/** The picture that a user has chosen, or the icon of an address. */
export function UserPicture({ user, address, size }: UserPictureProps) {
  const url = pictureUrl(user);
  const [brokenUrl, setBrokenUrl] = useState<string>();
  if (url === undefined || url === brokenUrl) return <Identicon address={address} size={size} />;
  return (
    <img
      className="identicon"
      src={url}
      width={size}
      height={size}
      alt=""
      referrerPolicy="no-referrer"
      onError={() => setBrokenUrl(url)}
    />
  );
}

/** The URL of the picture that a user has chosen. */
export function pictureUrl(user: User | null): string | undefined {
  const picture: unknown = user?.get("picture");
  return picture instanceof ParseFile ? picture.url() : undefined;
}
