"""Write the icon network as ONNX with weights of 16 bits: half the size; they are widened again when it is opened."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from saccade_vision.training.icon_net import IconNet
from saccade_vision.training.icon_pictures import CROP


def write_onnx(net: IconNet, path: Path) -> int:
    """The file's size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    net = net.cpu().eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, CROP, CROP),),
        str(path),
        input_names=["crops"],
        output_names=["scores"],
        dynamic_axes={"crops": {0: "count"}, "scores": {0: "count"}},
        opset_version=17,
        dynamo=False,
    )
    halve(path)
    return path.stat().st_size


def halve(path: Path) -> None:
    """Stores the large weights of an ONNX file in 16 bits, with a cast to 32 bits in front of their use."""
    model = onnx.load(str(path))
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < 256:
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), name + "_half"))
        casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    nodes = casts + list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
