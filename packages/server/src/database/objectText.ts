/** An object in wire format: JSON text with objectId, createdAt, updatedAt, its fields and its ACL. */
export type ObjectText = string;
