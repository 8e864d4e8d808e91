// Prints the strategy this container was given: real-proc, proc-bind or tmpfs.  Anything that is
// not as it should be means tmpfs.  For node and bun; read it in the first process, because
// neither passes the descriptor on to its own children.
const fs = require("node:fs");

function readStrategy(environment = process.env) {
	const unknown = { strategy: "tmpfs", sandbox: { usable: "unknown" } };
	const fd = environment.TYPECLAW_STRATEGY_FD ?? "";
	if (!/^[0-9]+$/.test(fd)) return unknown;
	let open;
	try {
		// Opened anew: the offset of the inherited one is shared with every other reader.
		open = fs.openSync(`/proc/self/fd/${fd}`, "r");
		const { dev, ino } = fs.fstatSync(open, { bigint: true });
		if (`${dev}:${ino}` !== environment.TYPECLAW_STRATEGY_ID) return unknown;
		const document = JSON.parse(fs.readFileSync(open, "utf8"));
		return document.schema === "typeclaw.strategy/1" ? document : unknown;
	} catch {
		return unknown;
	} finally {
		if (open !== undefined) fs.closeSync(open);
	}
}

console.log(readStrategy().strategy);
