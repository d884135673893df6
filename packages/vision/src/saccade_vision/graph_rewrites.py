"""Make OpenVINO run the text networks faster, by changing their graphs after they are read.

Measured on aarch64 (one thread, 16-bit floats), time of the original graph: in the detector 28 % goes into two
transposed convolutions, which OpenVINO computes slowly, and a sigmoid at full size; in both networks a fifth goes into
GELU. Where a graph does not have the expected form (another version of the networks), it is left as it is.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Model = Any
"""An `openvino.Model`."""
SWISH_SLOPE = 1.702
"""GELU(x) is about x times sigmoid(1.702 x) (Hendrycks and Gimpel 2016, arXiv 1606.08415, §2): never off by more than
0.021, and OpenVINO computes it inside the convolution before it.
"""


def replace_gelu(model: Model) -> int:
    """Compute every GELU as a swish. Returns how many there were."""
    operations = import_module("openvino.opset13")
    found = [pair for op in model.get_ordered_ops() if op.get_type_name() == "Erf" for pair in _gelu_around(op)]
    for value, last in found:
        swish = operations.swish(value, operations.constant(np.float32(SWISH_SLOPE)))
        for place in list(last.output(0).get_target_inputs()):
            place.replace_source_output(swish.output(0))
    return len(found)


def _gelu_around(erf: Any) -> list[tuple[Any, Any]]:
    """The input of x · (1 + erf(x / √2)) · ½ and its last operation, if `erf` stands in one."""
    divide = erf.input_value(0).get_node()
    add = _only_user(erf)
    product = _only_user(add) if add is not None else None
    half = _only_user(product) if product is not None else None
    kinds = [node.get_type_name() if node is not None else "" for node in (divide, add, product, half)]
    if kinds != ["Divide", "Add", "Multiply", "Multiply"] or product is None:
        return []
    value = divide.input_value(0)
    name = value.get_node().get_friendly_name()
    uses = [one.get_node().get_friendly_name() == name for one in product.input_values()]
    constants = [constant_of(divide.input_value(1)), _other_constant(add), _other_constant(half)]
    expected = all(
        one is not None and one.size == 1 and abs(float(one.ravel()[0]) - right) < 1e-3
        for one, right in zip(constants, (2**0.5, 1.0, 0.5), strict=True)
    )
    return [(value, half)] if any(uses) and expected else []


def split_upsampling(model: Model) -> bool:
    """Let the detector give its map as 16 channels of a quarter of the size (`whole_map` puts them together).

    Its last operations are: transposed convolution (2x2, stride 2), bias, ReLU, transposed convolution (2x2, stride
    2) to one channel, bias, sigmoid. Each output pixel of such a convolution depends on one input pixel only. So the
    first is a 1x1 convolution to 2x2 groups of channels, and the second a 1x1 convolution of each group to 2x2 values.
    """
    operations = import_module("openvino.opset13")
    chain = _upsampling(model)
    if chain is None:
        return False
    source, (first, first_bias, second, second_bias), last = chain
    channels, middle = first.shape[:2]
    wide = first.transpose(2, 3, 1, 0).reshape(4 * middle, channels, 1, 1)  # out: group (row, column), channel
    fine = np.zeros((4, 4, 4, middle), np.float32)  # place in the 4x4 block (row, column), group, channel
    for row, column in np.ndindex(4, 4):
        fine[row, column, 2 * (row // 2) + column // 2] = second[:, 0, row % 2, column % 2]
    biases = np.tile(first_bias.ravel(), 4).reshape(1, -1, 1, 1), np.full((1, 1, 1, 1), second_bias.ravel()[0])
    value = source
    for name, weights, bias in (("wide", wide, biases[0]), ("fine", fine.reshape(16, 4 * middle, 1, 1), biases[1])):
        kernel = operations.constant(np.ascontiguousarray(weights, np.float32))
        value = operations.convolution(value, kernel, [1, 1], [0, 0], [0, 0], [1, 1])
        value.set_friendly_name(f"upsampling/{name}")  # `int8_ranges.json` knows layers by name
        value = operations.add(value, operations.constant(np.ascontiguousarray(bias, np.float32)))
        value = operations.relu(value) if weights is wide else operations.sigmoid(value)
    last.input(0).replace_source_output(value.output(0))
    model.validate_nodes_and_infer_types()
    return True


def whole_map(channels: NDArray[Any]) -> NDArray[np.float32]:
    """One picture from n² channels, each with every n-th pixel of every n-th row.

    >>> whole_map(np.arange(8).reshape(4, 1, 2))
    array([[0., 2., 1., 3.],
           [4., 6., 5., 7.]], dtype=float32)
    """
    count, height, width = channels.shape
    side = round(count**0.5)
    parts = channels.reshape(side, side, height, width).transpose(2, 0, 3, 1)
    return np.ascontiguousarray(parts.reshape(height * side, width * side), np.float32)


def _upsampling(model: Model) -> tuple[Any, list[NDArray[np.float32]], Any] | None:
    """What goes into the last operations of the detector, their weights and biases, and the model's result."""
    if len(model.get_results()) != 1:
        return None
    result = model.get_results()[0]
    kinds = ["Sigmoid", "Add", "ConvolutionBackpropData", "Relu", "Add", "ConvolutionBackpropData"]
    weights: list[NDArray[np.float32]] = []
    value = result.input_value(0)
    for kind in kinds:
        node = _source(value).get_node()
        if node.get_type_name() != kind:
            return None
        if node.get_input_size() > 1:
            constant = constant_of(node.input_value(1))
            if constant is None or (constant.shape[2:] not in ((2, 2), (1, 1)) or constant.ndim != 4):
                return None
            weights.append(np.asarray(constant, np.float32))
        if kind == "ConvolutionBackpropData" and list(node.get_attributes()["strides"]) != [2, 2]:
            return None
        value = node.input_value(0)
    second_bias, second, first_bias, first = weights
    single = second.shape[1] == second_bias.size == 1 and first_bias.size == first.shape[1] == second.shape[0]
    return (value, [first, first_bias, second, second_bias], result) if single else None


def _source(value: Any) -> Any:
    """What comes out of the last operation before a value that does something."""
    while value.get_node().get_type_name() in ("Identity", "Convert"):
        value = value.get_node().input_value(0)
    return value


def constant_of(value: Any) -> NDArray[Any] | None:
    """The numbers of a constant; None of anything else."""
    node = _source(value).get_node()
    return np.asarray(node.data) if node.get_type_name() == "Constant" else None


def _other_constant(node: Any) -> NDArray[Any] | None:
    """The constant among the inputs of a sum or product."""
    return next((found for one in node.input_values() if (found := constant_of(one)) is not None), None)


def _only_user(node: Any) -> Any:
    """The operation that takes what this one gives, if there is just one; else None."""
    users = [place.get_node() for place in node.output(0).get_target_inputs()]
    return users[0] if len(users) == 1 else None
