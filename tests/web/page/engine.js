// The tool in a worker of its own, which is ended when it does not answer. SPDX-License-Identifier: Apache-2.0

import { packed } from "./base.js";

const patience = 5000; // milliseconds for one answer

let workerUrl = null;
let engine = null;
function startWorker() {
  workerUrl ??= URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
  const worker = new Worker(workerUrl);
  worker.postMessage({ packed: (engine ??= packed("engine")) });
  return worker;
}

export class Engine {
  #worker = null;
  #ready = false;
  #id = 0;
  #waiting = []; // the names of tasks whose answers are to come, in order
  #first = []; // what is asked before the worker is ready
  #timer = 0;
  #heard;
  #ended;

  // heard(name, answer) for each answer; ended(why) where there is none.
  constructor(heard, ended) {
    this.#heard = heard;
    this.#ended = ended;
    this.#start();
  }

  // Tasks {name, kind: "look" or "draw", line} instead of what was asked before.
  ask(tasks) {
    ++this.#id;
    this.#waiting = [];
    this.#first = [];
    this.#send(tasks, true);
  }
  // Tasks behind those.
  askMore(tasks) {
    this.#send(tasks, false);
  }

  #send(tasks, fresh) {
    const all = tasks.map((task) => ({ ...task, id: this.#id }));
    this.#waiting.push(...all.map((task) => task.name));
    if (!this.#ready) return void this.#first.push(...all);
    this.#worker.postMessage({ tasks: all, fresh });
    if (fresh || !this.#timer) this.#watch();
  }
  #start() {
    this.#ready = false;
    this.#worker = startWorker();
    this.#worker.onmessage = ({ data }) => this.#message(data);
  }
  #message({ ready, broken, failed, id, name, said }) {
    if (failed) return this.#ended(failed);
    if (broken) return this.#end(broken);
    if (ready) {
      this.#ready = true;
      this.#worker.postMessage({ tasks: this.#first, fresh: true });
      this.#first = [];
    } else if (id === this.#id) {
      this.#waiting.shift();
    }
    this.#watch();
    if (!ready && id === this.#id) this.#heard(name, JSON.parse(said));
  }
  #watch() {
    clearTimeout(this.#timer);
    this.#timer = this.#ready && this.#waiting.length ? setTimeout(() => this.#end(`No answer within ${patience / 1000} s: ended.`), patience) : 0;
  }
  #end(why) {
    this.#worker.terminate();
    clearTimeout(this.#timer);
    this.#timer = 0;
    ++this.#id;
    this.#waiting = [];
    this.#start();
    this.#ended(why);
  }
}
