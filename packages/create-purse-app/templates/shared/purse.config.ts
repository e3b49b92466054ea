// Settings of Purse: `npx purse --help` lists them all.
export default {
  appId: "my-purse-app",
  schemas: [
    {
      className: "Note",
      fields: {
        text: { type: "String", required: true },
        author: { type: "String" },
      },
    },
  ],
  // Everybody reads an object, and the user who created it changes it.
  defaultAcl: {
    "*": { read: true },
    currentUser: { read: true, write: true },
  },
};
