import init from './pkg/stepscope_wasm.js';
import wasm from './pkg/stepscope_wasm_bg.wasm?url';

await init({ module_or_path: wasm });
document.documentElement.dataset['ready'] = '';
