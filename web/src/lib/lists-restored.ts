// When the kept lists have been read. Placeholders wait for it, so that they do not flash before a list.
const restored = Promise.withResolvers<void>();

export const listsRestored = restored.promise;
export const markListsRestored = restored.resolve;
