const none = () => undefined;

/** Object triggers of a server without cloud code. */
export const NO_TRIGGERS = {
  beforeSave: none,
  afterSave: none,
  beforeDelete: none,
  afterDelete: none,
  beforeFind: none,
  afterFind: none,
};
