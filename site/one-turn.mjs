/** Stands for Node's module of that name, of which the playground calls nothing. */
export async function setImmediate() {}
