// SPDX-License-Identifier: GPL-3.0-or-later
// A Flamenco job type: variations of a .blend file, simulated and baked by RedMax on many machines.
// Put this file into the folder "scripts" beside the Flamenco Manager. See docs/batches.md.

const JOB_TYPE = {
    label: "RedMax Batch",
    description: "Simulate and bake variations of the mechanisms of a .blend file",
    settings: [
        { key: "table", type: "string", subtype: "file_path", required: true, visible: "submission",
          description: "Table of variations (CSV or JSON), where every worker finds it" },
        { key: "count", type: "int32", required: true, visible: "submission",
          description: "Number of variations in the table" },
        { key: "chunk_size", type: "int32", default: 10, visible: "submission",
          description: "Variations that one task simulates" },
        { key: "output_folder", type: "string", subtype: "dir_path", required: true, visible: "submission",
          description: "Folder for files, reports, table and contact sheet, shared by all workers" },
        { key: "pictures", type: "bool", default: false, visible: "submission",
          description: "Draw how each variation ends" },
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "The .blend file whose mechanisms vary" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    if (!(settings.count >= 1) || !(settings.chunk_size >= 1)) {
        throw new Error("RedMax Batch: count and chunk_size are whole numbers from 1 on");
    }
    const summary = author.Task("summary", "blender");
    summary.addCommand(simulate(settings, null));
    for (let first = 1; first <= settings.count; first += settings.chunk_size) {
        const last = Math.min(first + settings.chunk_size - 1, settings.count);
        const task = author.Task(`variations-${first}-${last}`, "blender");
        task.addCommand(simulate(settings, [first, last]));
        job.addTask(task);
        summary.addDependency(task);
    }
    // What all others have done is found again, and what one of them could not do is tried once more.
    job.addTask(summary);
}

function simulate(settings, rows) {
    let args = [
        "--background", "--command", "redmax", "batch",
        "--file", settings.blendfile,
        "--variations", settings.table,
        "--out", settings.output_folder,
    ];
    if (rows) {
        args = args.concat(["--rows", String(rows[0]), String(rows[1])]);
    }
    if (settings.pictures) {
        args = args.concat(["--pictures"]);
    }
    return author.Command("exec", { exe: "{blender}", args: args });
}
